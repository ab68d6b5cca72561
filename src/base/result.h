// Result: a value or the reason there is none. Never dropped silently.
//
// TRY(x) is the value of the Result x; if there is none, the function returns the reason. CO_TRY does the
// same in a coroutine:
//   const auto node = TRY(FindNode(name));
//   auto stored = CO_TRY(co_await store.Get(key));
#pragma once

#include <expected>
#include <type_traits>
#include <utility>

namespace keelson::base {

template <class T, class E>
class [[nodiscard]] Result : public std::expected<T, E> {
 public:
  using std::expected<T, E>::expected;
};

template <class E>
std::unexpected<std::decay_t<E>> Err(E&& error) {
  return std::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

namespace internal {
// Returns the value of `result`, which must have one: moves it out of a temporary, copies it otherwise.
template <class R>
typename std::remove_cvref_t<R>::value_type ValueOf(R&& result) {
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) return *std::forward<R>(result);
}
}  // namespace internal

}  // namespace keelson::base

#define KEELSON_TRY(leave, ...)                                                                 \
  ({                                                                                            \
    auto&& keelson_tried = (__VA_ARGS__);                                                       \
    if (!keelson_tried) [[unlikely]]                                                            \
      leave ::keelson::base::Err(std::forward<decltype(keelson_tried)>(keelson_tried).error()); \
    ::keelson::base::internal::ValueOf(std::forward<decltype(keelson_tried)>(keelson_tried));   \
  })
#define TRY(...) KEELSON_TRY(return, __VA_ARGS__)
#define CO_TRY(...) KEELSON_TRY(co_return, __VA_ARGS__)

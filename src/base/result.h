// Result: a value or the reason there is none. Never dropped silently.
#pragma once

#include <expected>
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

}  // namespace keelson::base

// StringHash: lets unordered containers of strings be searched by std::string_view. Use it
// with std::equal_to<>.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace keelson::base {

struct StringHash {
  using is_transparent = void;
  // Not noexcept: libstdc++ then keeps each entry's hash instead of computing it again whenever it walks a
  // bucket.
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

}  // namespace keelson::base

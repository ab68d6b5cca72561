// StringHash: lets unordered containers of strings be searched by std::string_view. Use it
// with std::equal_to<>.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace keelson::base {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>()(s); }
};

}  // namespace keelson::base

// Booleans on the command line, as Go's strconv.ParseBool reads them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::base {

inline Result<bool, std::string> ParseGoBool(std::string_view text) {
  static constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  static constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != std::end(kTrue)) return true;
  if (std::ranges::find(kFalse, text) != std::end(kFalse)) return false;
  return Err("strconv.ParseBool: parsing \"" + std::string(text) + "\": invalid syntax");
}

}  // namespace keelson::base

// Durations as Go writes them: "1m30s", "1.5h", "250ms", "0". Flags and query parameters
// use them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::base {

// The error is Go's text, for clients see it.
Result<std::chrono::nanoseconds, std::string> ParseGoDuration(std::string_view text);

}  // namespace keelson::base

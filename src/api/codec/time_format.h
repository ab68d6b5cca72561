// Times and durations as Kubernetes writes them in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::api {

// An instant: nanos counts forward from seconds, 0 to 999,999,999.
struct Instant {
  int64_t seconds = 0;  // Unix
  int32_t nanos = 0;
};

// 0001-01-01T00:00:00Z, which upstream takes for "not set".
constexpr int64_t kZeroTimeSeconds = -62'135'596'800;

// Parses RFC 3339 with the leniency and the error texts of upstream's parser, which name
// the layout the type expects.
constexpr std::string_view kTimeLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroTimeLayout = "2006-01-02T15:04:05.000000Z07:00";
base::Result<Instant, std::string> ParseTime(std::string_view text, std::string_view layout = kTimeLayout);

// Writes `2006-01-02T15:04:05Z`; returns its end. Needs kMaxTimeSize bytes.
constexpr size_t kMaxTimeSize = 48;
char* FormatTime(int64_t seconds, char* out);
// Writes `2006-01-02T15:04:05.000000Z` from Unix microseconds.
char* FormatMicroTime(int64_t micros, char* out);

// Go's notation of durations, "1h15m30.918s". The result is nanoseconds.
base::Result<int64_t, std::string> ParseDuration(std::string_view text);
// Needs kMaxDurationSize bytes; returns the end.
constexpr size_t kMaxDurationSize = 32;
char* FormatDuration(int64_t nanos, char* out);

}  // namespace keelson::api

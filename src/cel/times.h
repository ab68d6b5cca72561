// Durations and timestamps: their texts and their calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keelson::cel {

// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
constexpr int64_t kMinUnixTime = -62135596800;
constexpr int64_t kMaxUnixTime = 253402300799;

// "1.5s"
std::string FormatDurationSeconds(int64_t nanos);
// "1h2m3s"
std::string FormatGoDuration(int64_t nanos);
// RFC 3339 with as many digits of a second as there are.
std::string FormatTimestamp(int64_t seconds, int32_t nanos);
// "2006-01-02 15:04:05 +0000 UTC"
std::string FormatGoTime(int64_t seconds, int32_t nanos);

struct CalendarTime {
  int64_t year;
  int month;  // 1 to 12
  int day;    // 1 to 31
  int hour, minute, second;
  int day_of_week;  // 0 is Sunday
  int day_of_year;  // 0 to 365
};
CalendarTime CalendarOf(int64_t unix_seconds);

// How far a zone is from UTC at an instant, in seconds. A zone is "UTC", an IANA name or
// "+02:00". Nothing: no such zone.
std::optional<int> ZoneOffset(std::string_view zone, int64_t unix_seconds);

}  // namespace keelson::cel

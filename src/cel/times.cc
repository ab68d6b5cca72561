#include "cel/times.h"

#include <cstdio>

#include "api/codec/time_format.h"
#include "cel/numbers.h"
#include "cel/zones.h"

namespace keelson::cel {
namespace {

constexpr int64_t kDay = 86400;

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// ".789" without trailing zeros; "" for none.
std::string Fraction(int32_t nanos) {
  if (nanos == 0) return "";
  char text[16];
  std::snprintf(text, sizeof text, ".%09d", nanos);
  std::string fraction(text);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return fraction;
}

std::string Format(const char* layout, const CalendarTime& t) {
  char text[64];
  std::snprintf(text, sizeof text, layout, static_cast<int>(t.year), t.month, t.day, t.hour, t.minute,
                t.second);
  return text;
}

}  // namespace

std::string FormatDurationSeconds(int64_t nanos) {
  // As Go's Seconds() does it: whole seconds and the rest apart, so that digits are kept.
  const int64_t whole = nanos / 1'000'000'000, rest = nanos % 1'000'000'000;
  return FormatFixed(static_cast<double>(whole) + static_cast<double>(rest) / 1e9) + "s";
}

std::string FormatGoDuration(int64_t nanos) {
  char text[api::kMaxDurationSize];
  return std::string(text, api::FormatDuration(nanos, text));
}

std::string FormatTimestamp(int64_t seconds, int32_t nanos) {
  return Format("%04d-%02d-%02dT%02d:%02d:%02d", CalendarOf(seconds)) + Fraction(nanos) + "Z";
}

std::string FormatGoTime(int64_t seconds, int32_t nanos) {
  return Format("%04d-%02d-%02d %02d:%02d:%02d", CalendarOf(seconds)) + Fraction(nanos) + " +0000 UTC";
}

CalendarTime CalendarOf(int64_t unix_seconds) {
  const int64_t days = FloorDiv(unix_seconds, kDay);
  const int64_t rest = unix_seconds - days * kDay;
  // Years begin in March here, so that the leap day is the last of its year.
  const int64_t shifted = days + 719468;
  const int64_t era = FloorDiv(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_march_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_march_year + 2) / 153;
  CalendarTime t;
  t.day = static_cast<int>(day_of_march_year - (153 * month_from_march + 2) / 5 + 1);
  t.month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  t.year = year_of_era + era * 400 + (t.month <= 2 ? 1 : 0);
  t.hour = static_cast<int>(rest / 3600);
  t.minute = static_cast<int>(rest / 60 % 60);
  t.second = static_cast<int>(rest % 60);
  t.day_of_week = static_cast<int>(((days + 4) % 7 + 7) % 7);
  const bool leap = (t.year % 4 == 0 && t.year % 100 != 0) || t.year % 400 == 0;
  static constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  t.day_of_year = kBefore[t.month - 1] + t.day - 1 + (leap && t.month > 2 ? 1 : 0);
  return t;
}

std::optional<int> ZoneOffset(std::string_view zone, int64_t unix_seconds) {
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC") return 0;
    return NamedZoneOffset(zone, unix_seconds);
  }
  const auto hours = ParseInt(zone.substr(0, colon)), minutes = ParseInt(zone.substr(colon + 1));
  if (!hours || !minutes) return std::nullopt;
  const int64_t offset = *hours < 0 ? *hours * 60 - *minutes : *hours * 60 + *minutes;
  return static_cast<int>(offset * 60);
}

}  // namespace keelson::cel

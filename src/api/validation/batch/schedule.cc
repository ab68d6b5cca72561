#include "api/validation/batch/schedule.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "api/validation/batch/time_zone_names.h"
#include "api/validation/quote.h"
#include "base/go_duration.h"
#include "base/result.h"

namespace keelson::api::batch {
namespace {

template <class T>
using Parsed = base::Result<T, std::string>;

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// What a field of a schedule may hold. The i-th name stands for min + i.
struct Bounds {
  uint64_t min, max;
  std::span<const std::string_view> names = {};
};
constexpr Bounds kFields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kDays}};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == text.npos) return parts;
    start = end + 1;
  }
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const auto start = std::ranges::find_if_not(text, IsSpace);
    text.remove_prefix(static_cast<size_t>(start - text.begin()));
    if (text.empty()) return words;
    const auto end = std::ranges::find_if(text, IsSpace);
    words.push_back(text.substr(0, static_cast<size_t>(end - text.begin())));
    text.remove_prefix(words.back().size());
  }
}

Parsed<uint64_t> Number(std::string_view text) {
  const bool plus = text.starts_with('+');
  const std::string_view digits = plus ? text.substr(1) : text;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end == digits.data() + digits.size() && !(plus && digits.starts_with('-'));
  if (!whole || error != std::errc()) {
    const bool too_large = whole && error == std::errc::result_out_of_range;
    return base::Err("failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
                     Quoted(text) + (too_large ? ": value out of range" : ": invalid syntax"));
  }
  if (number < 0)
    return base::Err("negative number (" + std::to_string(number) + ") not allowed: " + std::string(text));
  return static_cast<uint64_t>(number);
}

Parsed<uint64_t> NumberOrName(std::string_view text, const Bounds& bounds) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const auto name = std::ranges::find(bounds.names, lower);
  if (name != bounds.names.end()) return bounds.min + static_cast<uint64_t>(name - bounds.names.begin());
  return Number(text);
}

struct Range {
  uint64_t start = 0, end = 0;
};

// "*", "5" or "1-5", without its step.
Parsed<Range> ParseRange(const std::vector<std::string_view>& ends, std::string_view whole,
                         const Bounds& bounds) {
  if (ends[0] == "*" || ends[0] == "?") return Range{bounds.min, bounds.max};
  auto start = TRY(NumberOrName(ends[0], bounds));
  if (ends.size() == 1) return Range{start, start};
  if (ends.size() > 2) return base::Err("too many hyphens: " + std::string(whole));
  auto end = TRY(NumberOrName(ends[1], bounds));
  return Range{start, end};
}

// One of the ranges of a field: "1-5/2". "5/2" means from 5 on.
std::optional<std::string> RangeError(std::string_view text, const Bounds& bounds) {
  const auto parts = Split(text, '/'), ends = Split(parts[0], '-');
  auto range = ParseRange(ends, text, bounds);
  if (!range) return std::move(range.error());
  uint64_t step = 1;
  if (parts.size() > 2) return "too many slashes: " + std::string(text);
  if (parts.size() == 2) {
    auto given = Number(parts[1]);
    if (!given) return std::move(given.error());
    step = *given;
    if (ends.size() == 1) range->end = bounds.max;
  }
  const std::string start = std::to_string(range->start), end = std::to_string(range->end);
  const std::string where = ": " + std::string(text);
  if (range->start < bounds.min)
    return "beginning of range (" + start + ") below minimum (" + std::to_string(bounds.min) + ")" + where;
  if (range->end > bounds.max)
    return "end of range (" + end + ") above maximum (" + std::to_string(bounds.max) + ")" + where;
  if (range->start > range->end)
    return "beginning of range (" + start + ") beyond end of range (" + end + ")" + where;
  if (step == 0) return "step of range should be a positive number" + where;
  return std::nullopt;
}

std::optional<std::string> DescriptorError(std::string_view text) {
  constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                               "@daily",  "@midnight", "@hourly"};
  constexpr std::string_view kEvery = "@every ";
  if (std::ranges::find(kDescriptors, text) != std::end(kDescriptors)) return std::nullopt;
  if (!text.starts_with(kEvery)) return "unrecognized descriptor: " + std::string(text);
  const auto duration = base::ParseGoDuration(text.substr(kEvery.size()));
  if (duration) return std::nullopt;
  return "failed to parse duration " + std::string(text) + ": " + duration.error();
}

std::optional<std::string> FieldsError(std::string_view schedule) {
  const auto fields = Words(schedule);
  if (fields.size() != std::size(kFields)) {
    std::string text = "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [";
    for (size_t i = 0; i < fields.size(); ++i) text.append(i ? " " : "").append(fields[i]);
    return text + "]";
  }
  for (size_t i = 0; i < fields.size(); ++i)
    for (std::string_view range : Split(fields[i], ',')) {
      if (range.empty()) continue;
      if (auto error = RangeError(range, kFields[i])) return error;
    }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TimeZoneError(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return std::nullopt;
  if (name.find("..") != name.npos || name.starts_with('/') || name.starts_with('\\'))
    return "time: invalid location name";
  if (std::ranges::binary_search(kTimeZoneNames, name)) return std::nullopt;
  return "unknown time zone " + std::string(name);
}

std::optional<std::string> ScheduleError(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t blank = schedule.find(' '), equals = schedule.find('=');
    if (blank == schedule.npos)
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const std::string_view zone = schedule.substr(equals + 1, blank - equals - 1);
    if (auto error = TimeZoneError(zone)) return "provided bad location " + std::string(zone) + ": " + *error;
    schedule.remove_prefix(blank);
    while (!schedule.empty() && IsSpace(schedule.front())) schedule.remove_prefix(1);
    while (!schedule.empty() && IsSpace(schedule.back())) schedule.remove_suffix(1);
  }
  if (schedule.starts_with('@')) return DescriptorError(schedule);
  return FieldsError(schedule);
}

}  // namespace keelson::api::batch

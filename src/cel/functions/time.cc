// Parts of timestamps and durations.
#include "cel/functions/functions.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

template <auto part>
Value OfTime(Args args) {
  int64_t seconds = args[0].integer();
  if (args.size() == 2) {
    const auto offset = ZoneOffset(args[1].text(), seconds);
    if (!offset) return Value::Error("unknown time zone " + std::string(args[1].text()));
    seconds += *offset;
  }
  return Value::Int(part(CalendarOf(seconds), args[0].nanos()));
}

template <int64_t unit>
Value OfDuration(Args args) {
  return Value::Int(args[0].integer() / unit);
}

template <auto part>
void Add(Library& library, std::string_view name, std::string id) {
  library.Member(name, id, {types::Timestamp()}, types::Int(), OfTime<part>);
  library.Member(name, id + "_with_tz", {types::Timestamp(), types::String()}, types::Int(), OfTime<part>);
}

template <int64_t unit>
void AddOfDuration(Library& library, std::string_view name, std::string id) {
  library.Member(name, std::move(id), {types::Duration()}, types::Int(), OfDuration<unit>);
}

}  // namespace

void AddTimeFunctions(Library& library) {
  using T = const CalendarTime&;
  Add<[](T t, int32_t) -> int64_t { return t.year; }>(library, "getFullYear", "timestamp_to_year");
  Add<[](T t, int32_t) -> int64_t { return t.month - 1; }>(library, "getMonth", "timestamp_to_month");
  Add<[](T t, int32_t) -> int64_t { return t.day_of_year; }>(library, "getDayOfYear",
                                                             "timestamp_to_day_of_year");
  Add<[](T t, int32_t) -> int64_t { return t.day - 1; }>(library, "getDayOfMonth",
                                                         "timestamp_to_day_of_month");
  Add<[](T t, int32_t) -> int64_t { return t.day; }>(library, "getDate", "timestamp_to_day_of_month_1_based");
  Add<[](T t, int32_t) -> int64_t { return t.day_of_week; }>(library, "getDayOfWeek",
                                                             "timestamp_to_day_of_week");
  Add<[](T t, int32_t) -> int64_t { return t.hour; }>(library, "getHours", "timestamp_to_hours");
  Add<[](T t, int32_t) -> int64_t { return t.minute; }>(library, "getMinutes", "timestamp_to_minutes");
  Add<[](T t, int32_t) -> int64_t { return t.second; }>(library, "getSeconds", "timestamp_to_seconds");
  Add<[](T, int32_t nanos) -> int64_t { return nanos / 1'000'000; }>(library, "getMilliseconds",
                                                                     "timestamp_to_milliseconds");
  AddOfDuration<3'600'000'000'000>(library, "getHours", "duration_to_hours");
  AddOfDuration<60'000'000'000>(library, "getMinutes", "duration_to_minutes");
  AddOfDuration<1'000'000'000>(library, "getSeconds", "duration_to_seconds");
  AddOfDuration<1'000'000>(library, "getMilliseconds", "duration_to_milliseconds");
}

}  // namespace keelson::cel

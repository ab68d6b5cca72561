// When cron jobs run: schedules in cron's notation and names of time zones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace keelson::api::batch {

// What is wrong with a schedule of five fields ("*/5 * * * 1-5") or a descriptor ("@daily",
// "@every 1h30m"), in the words of the parser that controllers use; nullopt: nothing.
std::optional<std::string> ScheduleError(std::string_view schedule);

// Why no time zone has this name; nullopt: one has.
std::optional<std::string> TimeZoneError(std::string_view name);

}  // namespace keelson::api::batch

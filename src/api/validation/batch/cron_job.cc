#include "api/validation/batch/cron_job.h"

#include <algorithm>
#include <string>

#include "api/validation/batch/job.h"
#include "api/validation/batch/schedule.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/render.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;
using core::CheckNonNegative;
using core::ErrorList;
using core::Path;
using field::RenderValue;

// The controller appends the minute to the name, and jobs' names are labels.
constexpr size_t kMaxNameLength = 52;

bool NamesZone(std::string_view schedule) { return schedule.find("TZ") != schedule.npos; }

void CheckSchedule(CronJobSpecView spec, bool zone_allowed, const Path& path, ErrorList& errors) {
  const std::string_view schedule = spec.schedule();
  if (schedule.empty()) return errors.Add(field::Required(path, ""));
  auto refuse = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(schedule), why)); };
  if (const auto error = ScheduleError(schedule)) refuse(*error);
  if (!NamesZone(schedule)) return;
  if (!zone_allowed) {
    refuse("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.has_time_zone()) {
    refuse("cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

// A piece of a name in the database of time zones, as its theory tells.
bool IsZoneNamePart(std::string_view part) {
  if (part.empty() || part.size() > 14 || part == "." || part == ".." || part.starts_with('-')) return false;
  constexpr std::string_view kOthers = ".-_+";
  return std::ranges::all_of(part, [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || kOthers.find(c) != kOthers.npos;
  });
}

void CheckTimeZone(std::string_view zone, const Path& path, ErrorList& errors) {
  auto refuse = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(zone), why)); };
  if (zone.empty()) return refuse("timeZone must be nil or non-empty string");
  for (size_t start = 0; start <= zone.size();) {
    const size_t end = std::min(zone.find('/', start), zone.size());
    if (!IsZoneNamePart(zone.substr(start, end - start)))
      return refuse("unknown time zone " + std::string(zone));
    start = end + 1;
  }
  std::string lower(zone);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (lower == "local")
    refuse("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  if (const auto error = TimeZoneError(zone)) refuse(*error);
}

void CheckJobTemplate(JobTemplateSpecView job_template, const Path& path, ErrorList& errors) {
  const auto spec = job_template.spec();
  const Path spec_path = path.Child("spec");
  CheckJobSpec(spec, spec_path, errors);
  if (spec.selector())
    errors.Add(field::Invalid(spec_path.Child("selector"), field::RenderStruct(spec.selector().node()),
                              "`selector` will be auto-generated"));
  constexpr std::string_view kUnset[] = {"nil", "false"};
  if (spec.manual_selector())
    errors.Add(field::NotSupported(spec_path.Child("manualSelector"), "true", kUnset));
}

ErrorList ValidateSpec(CronJobSpecView spec, CronJobSpecView was) {
  ErrorList errors;
  const Path path("spec");
  CheckSchedule(spec, NamesZone(was.schedule()), path.Child("schedule"), errors);
  CheckNonNegative(spec.starting_deadline_seconds(), path.Child("startingDeadlineSeconds"), errors);
  const bool zone_is_new = !was || !core::SameField(spec, was, "timeZone");
  if (spec.has_time_zone() && zone_is_new) CheckTimeZone(spec.time_zone(), path.Child("timeZone"), errors);
  constexpr std::string_view kPolicies[] = {ConcurrencyPolicy::kAllow, ConcurrencyPolicy::kForbid,
                                            ConcurrencyPolicy::kReplace};
  core::CheckRequiredSupported(spec.concurrency_policy(), kPolicies, path.Child("concurrencyPolicy"), errors);
  CheckJobTemplate(spec.job_template(), path.Child("jobTemplate"), errors);
  CheckNonNegative(spec.successful_jobs_history_limit(), path.Child("successfulJobsHistoryLimit"), errors);
  CheckNonNegative(spec.failed_jobs_history_limit(), path.Child("failedJobsHistoryLimit"), errors);
  return errors;
}

}  // namespace

field::ErrorList ValidateCronJob(CronJobView job) {
  ErrorList errors = ValidateSpec(job.spec(), {});
  const Path metadata("metadata");
  if (job.metadata().name().size() > kMaxNameLength)
    errors.Add(field::Invalid(metadata.Child("name"), RenderValue(job.metadata().name()),
                              "must be no more than 52 characters"));
  return errors;
}

field::ErrorList ValidateCronJobUpdate(CronJobView now, CronJobView was) {
  return ValidateSpec(now.spec(), was.spec());
}

}  // namespace keelson::api::batch

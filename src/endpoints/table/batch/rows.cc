#include "endpoints/table/batch/rows.h"

#include <string>

#include "api/generated/batch_v1.h"
#include "endpoints/table/template_cells.h"

namespace keelson::endpoints::table::batch {
namespace {

using namespace api::batch_v1;  // NOLINT: the views of this file's kinds

// By the first condition of a type.
bool Has(JobStatusView status, std::string_view type) {
  for (auto condition : status.conditions())
    if (condition.type() == type) return condition.status() == "True";
  return false;
}

std::string_view StatusOf(JobView job) {
  for (std::string_view end : {"Complete", "Failed"})
    if (Has(job.status(), end)) return end;
  if (job.metadata().has_deletion_timestamp()) return "Terminating";
  for (std::string_view phase : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (Has(job.status(), phase)) return phase;
  return "Running";
}

std::string CompletionsOf(JobView job) {
  const std::string succeeded = std::to_string(job.status().succeeded());
  if (job.spec().has_completions()) return succeeded + "/" + std::to_string(job.spec().completions());
  if (job.spec().parallelism() > 1) return succeeded + "/1 of " + std::to_string(job.spec().parallelism());
  return succeeded + "/1";
}

void JobRow(const api::StructNode& object, Cells& cells) {
  const JobView job(&object);
  const auto status = job.status();
  std::string duration;
  if (status.has_start_time())
    duration = status.has_completion_time() ? HumanDuration(status.completion_time() - status.start_time())
                                            : cells.AgeText(status.start_time());
  cells.Text(job.metadata().name());
  cells.Text(StatusOf(job));
  cells.Text(CompletionsOf(job));
  cells.Text(duration);
  cells.Age(job.metadata().creation_timestamp());
  TemplateCells(job.spec().template_(), cells);
  SelectorCell(job.spec().selector(), cells);
}

void CronJobRow(const api::StructNode& object, Cells& cells) {
  const CronJobView job(&object);
  const auto spec = job.spec();
  const auto status = job.status();
  cells.Text(job.metadata().name());
  cells.Text(spec.schedule());
  cells.Text(spec.has_time_zone() ? spec.time_zone() : kNone);
  cells.Text(!spec.has_suspend() ? "<unset>" : spec.suspend() ? "True" : "False");
  cells.Number(static_cast<int64_t>(status.active().size()));
  cells.Text(status.has_last_schedule_time() ? cells.AgeText(status.last_schedule_time())
                                             : std::string(kNone));
  cells.Age(job.metadata().creation_timestamp());
  TemplateCells(spec.job_template().spec().template_(), cells);
  SelectorCell(spec.job_template().spec().selector(), cells);
}

}  // namespace

std::span<const KindRow> Rows() {
  static constexpr KindRow kRows[] = {{"CronJob", CronJobRow}, {"Job", JobRow}};
  return kRows;
}

}  // namespace keelson::endpoints::table::batch

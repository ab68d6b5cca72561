#include "api/defaulting/batch/jobs.h"

#include <limits>

#include "api/defaulting/core/pod_defaults.h"
#include "api/generated/batch_v1.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;

constexpr int32_t kBackoffLimit = 6;
constexpr int32_t kSuccessfulJobsHistoryLimit = 3;
constexpr int32_t kFailedJobsHistoryLimit = 1;

// What jobs and the templates of cron jobs both get.
void SetTemplateDefaults(JobSpecEditor spec) {
  core::SetPodSpecDefaults(spec.mutable_template().mutable_spec());
  auto policy = spec.edit_pod_failure_policy();
  if (!policy) return;
  for (auto rule : policy.edit_rules())
    for (auto pattern : rule.edit_on_pod_conditions())
      if (pattern.status().empty()) pattern.set_status_static("True");
}

// One map for both from now on, as upstream has it: a label that the strategy adds to the pods is then also
// one of the job. A job with labels of its own has its own map.
void ShareLabels(meta_v1::ObjectMetaEditor pods, meta_v1::ObjectMetaEditor job) {
  static const uint16_t labels = meta_v1::ObjectMetaView::Type().FindMember("labels").field->ordinal;
  job.node()->slot(labels) = pods.node()->slot(labels);
}

}  // namespace

void SetJobDefaults(Doc& doc) {
  JobEditor job(doc);
  auto spec = job.mutable_spec();
  SetTemplateDefaults(spec);
  if (!spec.has_completions() && !spec.has_parallelism()) spec.set_completions(1);
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit())
    spec.set_backoff_limit(spec.has_backoff_limit_per_index() ? std::numeric_limits<int32_t>::max()
                                                              : kBackoffLimit);
  if (!spec.template_().metadata().labels().empty() && job.metadata().labels().empty())
    ShareLabels(spec.mutable_template().mutable_metadata(), job.mutable_metadata());
  if (!spec.has_completion_mode()) spec.set_completion_mode_static(CompletionMode::kNonIndexed);
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_pod_replacement_policy())
    spec.set_pod_replacement_policy_static(spec.pod_failure_policy()
                                               ? PodReplacementPolicy::kFailed
                                               : PodReplacementPolicy::kTerminatingOrFailed);
  if (!spec.has_manual_selector()) spec.set_manual_selector(false);
}

void SetCronJobDefaults(Doc& doc) {
  auto spec = CronJobEditor(doc).mutable_spec();
  SetTemplateDefaults(spec.mutable_job_template().mutable_spec());
  if (spec.concurrency_policy().empty()) spec.set_concurrency_policy_static(ConcurrencyPolicy::kAllow);
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_successful_jobs_history_limit())
    spec.set_successful_jobs_history_limit(kSuccessfulJobsHistoryLimit);
  if (!spec.has_failed_jobs_history_limit()) spec.set_failed_jobs_history_limit(kFailedJobsHistoryLimit);
}

}  // namespace keelson::api::batch

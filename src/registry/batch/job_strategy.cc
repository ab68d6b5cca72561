#include "api/validation/batch/job.h"
#include "registry/batch/job_warnings.h"
#include "registry/batch/strategies.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::batch {
namespace {

using api::batch_v1::JobEditor;
using api::batch_v1::JobView;
using api::field::ErrorList;
namespace rules = api::batch;

// Ties the pods to be to this job by its uid. Labels that the client has set itself stay;
// whether they fit is for validation to say.
void GenerateSelector(JobEditor job) {
  const auto metadata = job.metadata();
  auto spec = job.mutable_spec();
  auto pod_metadata = spec.mutable_template().mutable_metadata();
  auto add_label = [&](std::string_view label, std::string_view value) {
    if (!pod_metadata.labels().Find(label)) pod_metadata.put_labels(label, value);
  };
  add_label(rules::kLegacyJobNameLabel, metadata.name());
  add_label(rules::kJobNameLabel, metadata.name());
  add_label(rules::kLegacyControllerUidLabel, metadata.uid());
  add_label(rules::kControllerUidLabel, metadata.uid());
  auto selector = spec.mutable_selector();
  if (!selector.match_labels().Find(rules::kControllerUidLabel))
    selector.put_match_labels(rules::kControllerUidLabel, metadata.uid());
}

// A job without labels has those of its pods, the generated ones too.
void InheritLabels(JobEditor job) {
  if (!job.metadata().labels().empty()) return;
  auto metadata = job.mutable_metadata();
  for (const auto& [key, value] : job.spec().template_().metadata().labels())
    metadata.put_labels(key, value.string());
}

class JobStrategy : public core::WorkloadStrategy<JobView, JobEditor> {
 public:
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    JobEditor job(doc);
    if (!job.spec().manual_selector()) GenerateSelector(job);
    InheritLabels(job);
    WorkloadStrategy::PrepareForCreate(context, doc);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return rules::ValidateJob(JobView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return rules::ValidateJobUpdate(JobView(now), JobView(was));
  }
  // For compatibility with clients that delete pods themselves.
  bool OrphanDependentsByDefault() const override { return true; }
  std::vector<std::string> WarningsOnDelete(const DeleteOptions& options) const override {
    if (options.propagation_policy || options.orphan_dependents) return {};
    return {
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to "
        "remove "
        "them or set propagationPolicy=Orphan to suppress this warning"};
  }

 protected:
  void WarnOfTemplate(JobView job, core::Warnings& warnings) const override {
    WarnOfJobSpec(job.spec(), api::field::Path("spec"), warnings);
  }
};

class JobStatusStrategy final : public core::WorkloadStatusStrategy<JobStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return rules::ValidateJobStatusUpdate(JobView(now), JobView(was));
  }
};

}  // namespace

const Strategy& Jobs() {
  static const JobStrategy strategy;
  return strategy;
}

const Strategy& JobStatus() {
  static const JobStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::batch

#include "api/validation/batch/job.h"
#include "api/validation/names.h"
#include "registry/batch/job_warnings.h"
#include "registry/batch/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"

namespace keelson::registry::batch {
namespace {

using api::batch_v1::JobEditor;
using api::batch_v1::JobView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;
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

class JobStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    JobEditor job(doc);
    if (!job.spec().manual_selector()) GenerateSelector(job);
    InheritLabels(job);
    ClearField(doc, "status");
    job.mutable_metadata().set_generation(1);
    core::DropDisabledFields(job.mutable_spec().mutable_template().mutable_spec(), {});
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return rules::ValidateJob(JobView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const JobView job(doc);
    core::Warnings warnings;
    core::WarnOfWorkloadName(job.metadata().name(), warnings);
    WarnOfJobSpec(job.spec(), api::field::Path("spec"), warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const JobView before(was);
    JobEditor after(now);
    core::DropDisabledFields(after.mutable_spec().mutable_template().mutable_spec(),
                             before.spec().template_().spec());
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return rules::ValidateJobUpdate(JobView(now), JobView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const JobView after(now), before(was);
    core::Warnings warnings;
    if (after.metadata().generation() != before.metadata().generation())
      WarnOfJobSpec(after.spec(), api::field::Path("spec"), warnings);
    return warnings;
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
};

class JobStatusStrategy final : public JobStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return rules::ValidateJobStatusUpdate(JobView(now), JobView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
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

#include "api/validation/batch/cron_job.h"
#include "api/validation/names.h"
#include "registry/batch/job_warnings.h"
#include "registry/batch/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"

namespace keelson::registry::batch {
namespace {

using api::batch_v1::CronJobEditor;
using api::batch_v1::CronJobView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;

void WarnOfTemplate(CronJobView job, core::Warnings& warnings) {
  const api::field::Path spec("spec"), job_template = spec.Child("jobTemplate");
  WarnOfJobSpec(job.spec().job_template().spec(), job_template.Child("spec"), warnings);
}

void DropDisabled(CronJobEditor now, CronJobView was) {
  auto job = now.mutable_spec().mutable_job_template().mutable_spec();
  core::DropDisabledFields(job.mutable_template().mutable_spec(),
                           was.spec().job_template().spec().template_().spec());
}

class CronJobStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    CronJobEditor job(doc);
    job.mutable_metadata().set_generation(1);
    DropDisabled(job, {});
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::batch::ValidateCronJob(CronJobView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const CronJobView job(doc);
    core::Warnings warnings;
    core::WarnOfWorkloadName(job.metadata().name(), warnings);
    WarnOfTemplate(job, warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const CronJobView before(was);
    CronJobEditor after(now);
    DropDisabled(after, before);
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::batch::ValidateCronJobUpdate(CronJobView(now), CronJobView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const CronJobView after(now), before(was);
    core::Warnings warnings;
    if (after.metadata().generation() != before.metadata().generation()) WarnOfTemplate(after, warnings);
    if (after.spec().schedule().find("TZ") != std::string_view::npos)
      warnings.push_back(
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
          "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
    return warnings;
  }
};

class CronJobStatusStrategy final : public CronJobStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& CronJobs() {
  static const CronJobStrategy strategy;
  return strategy;
}

const Strategy& CronJobStatus() {
  static const CronJobStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::batch

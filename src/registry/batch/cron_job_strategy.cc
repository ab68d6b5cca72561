#include "api/validation/batch/cron_job.h"
#include "registry/batch/job_warnings.h"
#include "registry/batch/strategies.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::batch {
namespace {

using api::batch_v1::CronJobEditor;
using api::batch_v1::CronJobView;
using api::field::ErrorList;

class CronJobStrategy : public core::WorkloadStrategy<CronJobView, CronJobEditor> {
 public:
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::batch::ValidateCronJob(CronJobView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::batch::ValidateCronJobUpdate(CronJobView(now), CronJobView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext& context, const api::Doc& now,
                                            const api::Doc& was) const override {
    core::Warnings warnings = WorkloadStrategy::WarningsOnUpdate(context, now, was);
    if (CronJobView(now).spec().schedule().find("TZ") != std::string_view::npos)
      warnings.push_back(
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
          "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
    return warnings;
  }

 protected:
  void DropDisabled(const Features& features, CronJobEditor now, CronJobView was) const override {
    auto job = now.mutable_spec().mutable_job_template().mutable_spec();
    core::DropDisabledFields(features, job.mutable_template().mutable_spec(),
                             was.spec().job_template().spec().template_().spec());
  }
  void WarnOfTemplate(CronJobView job, core::Warnings& warnings) const override {
    const api::field::Path spec("spec"), job_template = spec.Child("jobTemplate");
    WarnOfJobSpec(job.spec().job_template().spec(), job_template.Child("spec"), warnings);
  }
};

class CronJobStatusStrategy final : public core::WorkloadStatusStrategy<CronJobStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
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

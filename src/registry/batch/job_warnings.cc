#include "registry/batch/job_warnings.h"

namespace keelson::registry::batch {
namespace {

constexpr int32_t kManyCompletions = 100'000;
constexpr int32_t kMuchParallelism = 10'000;

}  // namespace

void WarnOfJobSpec(api::batch_v1::JobSpecView spec, const api::field::Path& path, core::Warnings& warnings) {
  if (spec.completion_mode() == api::batch_v1::CompletionMode::kIndexed &&
      spec.completions() > kManyCompletions && spec.parallelism() > kMuchParallelism)
    warnings.push_back(
        path.ToString() +
        ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
        "Kubernetes might not be able to track completedIndexes when a big number of indexes fail");
  core::WarnOfPodTemplate(spec.template_(), path.Child("template"), warnings);
}

}  // namespace keelson::registry::batch

#include "admission/plugins/pod_group_workload_exists.h"

#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/scheduling_v1alpha2.h"
#include "api/validation/quote.h"

namespace keelson::admission {

Concern PodGroupWorkloadExists::ConcernWith(const api::ResourceDesc& resource,
                                            std::string_view subresource) const {
  return {.validates = Is(resource, subresource, kPodGroups)};
}

base::Task<Verdict> PodGroupWorkloadExists::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const auto spec = api::scheduling_v1alpha2::PodGroupView(*request.object).spec();
  const auto ref = spec.pod_group_template_ref().workload();
  if (!ref) co_return Verdict();
  const std::string name(ref.workload_name());
  const std::string workload = "Workload " + api::Quoted(name);
  const auto found =
      co_await objects_.Get(kWorkloads, std::string(request.ns), name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return base::Err(api::InternalError(found.error().message));
  if (!*found) co_return Refuse(request, "PodGroup rejected: " + workload + " not found");
  const api::scheduling_v1alpha2::WorkloadView view(**found);
  if (view.metadata().has_deletion_timestamp())
    co_return Refuse(request, "PodGroup rejected: " + workload + " is being deleted");
  const std::string_view wanted = ref.pod_group_template_name();
  for (const auto group : view.spec().pod_group_templates())
    if (group.name() == wanted) co_return Verdict();
  co_return Refuse(
      request, "PodGroup rejected: PodGroupTemplate " + api::Quoted(wanted) + " not found in " + workload);
}

}  // namespace keelson::admission

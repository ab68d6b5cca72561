#include "admission/plugins/limit_pod_hard_anti_affinity_topology.h"

#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

}  // namespace

Concern LimitPodHardAntiAffinityTopology::ConcernWith(const api::ResourceDesc& resource,
                                                      std::string_view subresource) const {
  return {.validates = Is(resource, subresource, kPods)};
}

base::Task<Verdict> LimitPodHardAntiAffinityTopology::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate && request.operation != Operation::kUpdate) co_return Verdict();
  const api::core_v1::PodView pod(*request.object);
  for (const auto term :
       pod.spec().affinity().pod_anti_affinity().required_during_scheduling_ignored_during_execution()) {
    if (term.topology_key() == kHostname) continue;
    co_return base::Err(api::Forbidden(kPods, pod.metadata().name(),
                                       "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey " +
                                           std::string(term.topology_key()) + " but only key " +
                                           std::string(kHostname) + " is allowed"));
  }
  co_return Verdict();
}

}  // namespace keelson::admission

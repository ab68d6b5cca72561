#include "admission/plugins/extended_resource_toleration.h"

#include <set>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/validation/core/resource_names.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodSpecEditor;
using api::core_v1::PodSpecView;

// Sorted. Ephemeral containers ask for nothing.
std::set<std::string_view> ExtendedResources(PodSpecView spec) {
  std::set<std::string_view> names;
  for (const auto& containers : {spec.containers(), spec.init_containers()})
    for (const auto container : containers)
      for (const auto& [name, amount] : container.resources().requests())
        if (api::core::IsExtendedResourceName(name)) names.insert(name);
  return names;
}

// One that tolerates the taint for a time only tolerates it for good from now on.
void TolerateExtendedResource(PodSpecEditor spec, std::string_view resource) {
  bool tolerated = false;
  for (auto toleration : spec.edit_tolerations()) {
    if (toleration.key() != resource || toleration.operator_() != "Exists" ||
        toleration.effect() != "NoSchedule" || !toleration.value().empty())
      continue;
    toleration.clear_toleration_seconds();
    tolerated = true;
  }
  if (tolerated) return;
  auto added = spec.add_tolerations();
  added.set_key(resource);
  added.set_operator_static("Exists");
  added.set_effect_static("NoSchedule");
}

}  // namespace

Concern ExtendedResourceToleration::ConcernWith(const api::ResourceDesc& resource,
                                                std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, kPods)};
}

base::Task<Verdict> ExtendedResourceToleration::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate && request.operation != Operation::kUpdate) co_return Verdict();
  auto spec = api::core_v1::PodEditor(*request.object).mutable_spec();
  for (const std::string_view resource : ExtendedResources(spec)) TolerateExtendedResource(spec, resource);
  co_return Verdict();
}

}  // namespace keelson::admission

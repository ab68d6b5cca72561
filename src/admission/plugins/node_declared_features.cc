#include "admission/plugins/node_declared_features.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodSpecView;
using api::core_v1::PodView;

// In the order of their names.
std::vector<std::string_view> NeededFor(PodSpecView now, PodSpecView was) {
  std::vector<std::string_view> needed;
  if (!api::core::SameStruct(now.resources(), was.resources()))
    needed.emplace_back("InPlacePodLevelResourcesVerticalScaling");
  const auto before = was.init_containers(), after = now.init_containers();
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    const bool sidecar = before[i].restart_policy() == "Always";
    if (sidecar || api::core::SameStruct(before[i].resources(), after[i].resources())) continue;
    needed.emplace_back("InPlacePodVerticalScalingInitContainers");
    break;
  }
  return needed;
}

}  // namespace

// Plain updates of pods change nothing that a node must know of.
Concern NodeDeclaredFeatures::ConcernWith(const api::ResourceDesc& resource,
                                          std::string_view subresource) const {
  return {.validates = resource.group.empty() && resource.plural == "pods" && subresource == "resize"};
}

base::Task<Verdict> NodeDeclaredFeatures::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate) co_return Verdict();
  const PodView pod(*request.object), was(*request.old_object);
  const std::string name(pod.spec().node_name());
  if (name.empty() || pod.metadata().generation() == was.metadata().generation()) co_return Verdict();
  std::vector<std::string_view> needed = NeededFor(pod.spec(), was.spec());
  if (needed.empty()) co_return Verdict();
  const auto found = co_await objects_.Get({"", "nodes"}, "", name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return Refuse(request, "failed to get node \"" + name + "\": " + found.error().message);
  if (!*found) co_return Refuse(request, "node \"" + name + "\" not found");
  for (const api::Value& feature : api::core_v1::NodeView(**found).status().declared_features())
    std::erase(needed, feature.string());
  if (needed.empty()) co_return Verdict();
  std::string missing(needed[0]);
  for (size_t i = 1; i < needed.size(); ++i) missing.append(", ").append(needed[i]);
  co_return Refuse(request, "pod update requires features " + missing +
                                " which are not available on node \"" + name + "\"");
}

}  // namespace keelson::admission

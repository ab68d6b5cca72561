#include "admission/plugins/pod_topology_labels.h"

#include <algorithm>
#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kBindingSubresource = "binding";
constexpr std::string_view kTopologyLabels[] = {"topology.kubernetes.io/zone",
                                                "topology.kubernetes.io/region"};

// The node that a request assigns a pod to; empty: none.
std::string AssignedNode(const Attributes& request) {
  if (request.subresource != kBindingSubresource)
    return std::string(api::core_v1::PodView(*request.object).spec().node_name());
  const auto target = api::core_v1::BindingView(*request.object).target();
  return target.kind() == "Node" ? std::string(target.name()) : std::string();
}

}  // namespace

Concern PodTopologyLabels::ConcernWith(const api::ResourceDesc& resource,
                                       std::string_view subresource) const {
  const bool pods = Is(resource, "", kPods);
  return {.mutates = pods && (subresource.empty() || subresource == kBindingSubresource)};
}

// The labels of a binding are copied to its pod when it is bound.
base::Task<Verdict> PodTopologyLabels::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const std::string name = AssignedNode(request);
  if (name.empty()) co_return Verdict();
  const auto node = CO_TRY(co_await objects_.GetObject({"", "nodes"}, "", name, client::Fresh::kCached));
  if (!node) co_return Verdict();
  for (size_t i = 0; i < node->label_count(); ++i) {
    const auto [key, value] = node->label(i);
    if (std::ranges::find(kTopologyLabels, key) != std::end(kTopologyLabels))
      api::MutableMetadataOf(*request.object).put_labels(key, value);
  }
  co_return Verdict();
}

}  // namespace keelson::admission

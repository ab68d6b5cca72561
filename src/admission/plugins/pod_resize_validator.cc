#include "admission/plugins/pod_resize_validator.h"

#include <string>

#include "api/generated/core_v1.h"
#include "api/validation/core/pod_resources.h"

namespace keelson::admission {
namespace {

using api::Quantity;
using api::core::ResourceAmounts;
using api::core_v1::NodeView;
using api::core_v1::PodView;

Quantity Parsed(const api::Value& v) { return Quantity::Parse(v.string()).value_or(Quantity()); }

ResourceAmounts RequestsOf(PodView pod) {
  ResourceAmounts requests = api::core::AggregateContainers(pod.spec(), api::core::ResourceSide::kRequests);
  for (const auto& [name, amount] : pod.spec().resources().requests())
    if (api::core::IsPodLevelResource(name)) requests[name] = Parsed(amount);
  for (const auto& [name, amount] : pod.spec().overhead()) requests[name].Add(Parsed(amount));
  return requests;
}

// What the node is short of; empty: nothing.
std::string Shortage(PodView pod, NodeView node) {
  ResourceAmounts requests = RequestsOf(pod);
  std::string out;
  const auto compare = [&](std::string_view name, int scale) {
    const api::Value* const value = node.status().allocatable().Find(name);
    const Quantity allocatable = value ? Parsed(*value) : Quantity(), &requested = requests[name];
    if (requested.Compare(allocatable) <= 0) return;
    if (!out.empty()) out += "; ";
    out.append(name).append(", requested: ").append(std::to_string(requested.ScaledValue(scale)));
    out.append(", allocatable: ").append(std::to_string(allocatable.ScaledValue(scale)));
  };
  compare("cpu", -3);
  compare("memory", 0);
  return out;
}

Verdict RefuseFor(const Attributes& request, std::string_view why, std::string_view cause) {
  Verdict verdict = Refuse(request, why);
  verdict.error().details->causes.push_back({.reason = std::string(cause)});
  return verdict;
}

}  // namespace

Concern PodResizeValidator::ConcernWith(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  return {.validates = resource.group.empty() && resource.plural == "pods" && subresource == "resize"};
}

base::Task<Verdict> PodResizeValidator::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate) co_return Verdict();
  const PodView pod(*request.object), was(*request.old_object);
  const std::string name(pod.spec().node_name());
  if (name.empty() || pod.metadata().generation() == was.metadata().generation()) co_return Verdict();
  const auto found = co_await objects_.Get({"", "nodes"}, "", name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return Refuse(request, "failed to get node \"" + name + "\": " + found.error().message);
  if (!*found) co_return Refuse(request, "node \"" + name + "\" not found");
  const NodeView node(**found);
  if (const api::Value* const os = node.metadata().labels().Find("kubernetes.io/os");
      os && os->string() != "linux")
    co_return RefuseFor(request,
                        "pod resize is only supported on linux nodes, node \"" + name + "\" is \"" +
                            std::string(os->string()) + "\"",
                        "UnsupportedPlatform");
  if (const std::string short_of = Shortage(pod, node); !short_of.empty())
    co_return RefuseFor(request, "node didn't have enough allocatable resources: " + short_of,
                        "NodeCapacity");
  co_return Verdict();
}

}  // namespace keelson::admission

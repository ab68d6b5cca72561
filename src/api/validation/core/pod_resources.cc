#include "api/validation/core/pod_resources.h"

#include "api/validation/core/resource_names.h"

namespace keelson::api::core {
namespace {

MapView Side(core_v1::ResourceRequirementsView resources, ResourceSide side) {
  return side == ResourceSide::kRequests ? resources.requests() : resources.limits();
}

ResourceAmounts Parse(MapView list) {
  ResourceAmounts amounts;
  for (const auto& [name, value] : list) {
    if (auto quantity = Quantity::Parse(value.string())) amounts[name] = std::move(*quantity);
  }
  return amounts;
}

void Add(ResourceAmounts& to, const ResourceAmounts& more) {
  for (const auto& [name, amount] : more) to[name].Add(amount);
}

void Max(ResourceAmounts& to, const ResourceAmounts& other) {
  for (const auto& [name, amount] : other) {
    auto it = to.find(name);
    if (it == to.end()) {
      to[name] = amount;
    } else if (it->second < amount) {
      it->second = amount;
    }
  }
}

// `of` gives the amounts of one container, and is told whether it only starts the pod.
template <class Of>
ResourceAmounts Aggregate(core_v1::PodSpecView spec, Of of) {
  ResourceAmounts running;
  for (auto container : spec.containers()) Add(running, of(container, false));
  ResourceAmounts sidecars, starting;
  for (auto container : spec.init_containers()) {
    const bool sidecar = container.restart_policy() == "Always";
    ResourceAmounts amounts = of(container, !sidecar);
    if (sidecar) {
      Add(running, amounts);
      Add(sidecars, amounts);
      amounts = sidecars;
    } else {
      Add(amounts, sidecars);
    }
    Max(starting, amounts);
  }
  Max(running, starting);
  return running;
}

core_v1::ContainerStatusView StatusOf(core_v1::PodStatusView status, std::string_view container) {
  for (const auto& statuses : {status.container_statuses(), status.init_container_statuses()})
    for (auto one : statuses)
      if (one.name() == container) return one;
  return {};
}

bool ResizeIsInfeasible(core_v1::PodStatusView status) {
  for (auto condition : status.conditions())
    if (condition.type() == "PodResizePending") return condition.reason() == "Infeasible";
  return false;
}

}  // namespace

ResourceAmounts AggregateContainers(core_v1::PodSpecView spec, ResourceSide side) {
  return Aggregate(spec, [side](auto container, bool) { return Parse(Side(container.resources(), side)); });
}

ResourceAmounts AggregateRunningContainers(core_v1::PodView pod, ResourceSide side) {
  const auto spec = pod.spec();
  const auto status = pod.status();
  if (status.container_statuses().empty() && status.init_container_statuses().empty())
    return AggregateContainers(spec, side);
  const bool infeasible = ResizeIsInfeasible(status);
  return Aggregate(spec, [&](core_v1::ContainerView container, bool starts) {
    ResourceAmounts asked = Parse(Side(container.resources(), side));
    const auto found = StatusOf(status, container.name());
    // What only starts the pod is not resized.
    if (starts || !found.resources().node()) return asked;
    ResourceAmounts most = infeasible ? ResourceAmounts() : std::move(asked);
    Max(most, Parse(Side(found.resources(), side)));
    if (side == ResourceSide::kRequests) Max(most, Parse(found.allocated_resources()));
    return most;
  });
}

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || IsHugePageResourceName(name);
}

}  // namespace keelson::api::core

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

}  // namespace

ResourceAmounts AggregateContainers(core_v1::PodSpecView spec, ResourceSide side) {
  ResourceAmounts running;
  for (auto container : spec.containers()) Add(running, Parse(Side(container.resources(), side)));
  ResourceAmounts sidecars, starting;
  for (auto container : spec.init_containers()) {
    ResourceAmounts amounts = Parse(Side(container.resources(), side));
    if (container.restart_policy() == "Always") {
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

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || IsHugePageResourceName(name);
}

}  // namespace keelson::api::core

// What the containers of a pod ask for together.
#pragma once

#include <map>
#include <string_view>

#include "api/codec/quantity.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

using ResourceAmounts = std::map<std::string_view, Quantity, std::less<>>;

enum class ResourceSide { kRequests, kLimits };

// The amounts a pod needs at the worst moment: its containers and sidecars together, or the
// largest init container with the sidecars started before it.
ResourceAmounts AggregateContainers(core_v1::PodSpecView spec, ResourceSide side);

// The same for a pod that may run: while containers are being resized, each side counts
// with the most it has, was given or asks for.
ResourceAmounts AggregateRunningContainers(core_v1::PodView pod, ResourceSide side);

// Amounts that can be given for the pod as a whole.
bool IsPodLevelResource(std::string_view name);

}  // namespace keelson::api::core

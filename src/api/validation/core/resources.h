// Requests and limits of containers and pods.
#pragma once

#include <set>
#include <string_view>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

using NameSet = std::set<std::string_view>;

// What a container may ask for. `claims` are the names in the pod's resourceClaims.
void CheckContainerResources(core_v1::ResourceRequirementsView resources, const NameSet& claims,
                             const Path& path, ErrorList& errors);
// What may be asked for the pod as a whole, and whether its containers fit into it.
void CheckPodResources(core_v1::PodSpecView spec, const NameSet& claims, const Path& spec_path,
                       ErrorList& errors);
// What a runtime takes for itself.
void CheckOverhead(MapView overhead, const Path& path, ErrorList& errors);

// Below, at or above zero; a text that is no quantity, which decoding refuses, is zero.
int CompareQuantities(std::string_view a, std::string_view b);

}  // namespace keelson::api::core

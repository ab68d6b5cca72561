// Volumes of pods.
#pragma once

#include <map>
#include <string_view>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// The volumes that containers may mount, by name: those without a mistake.
using VolumesByName = std::map<std::string_view, core_v1::VolumeSourceView>;

// `pod_name` is empty when it is not known (templates). `in_pod`: the spec is a pod's own.
VolumesByName CheckVolumes(core_v1::PodSpecView spec, std::string_view pod_name, bool in_pod,
                           const Path& path, ErrorList& errors);

void CheckPullPolicy(std::string_view policy, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

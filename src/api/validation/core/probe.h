// Probes and lifecycle hooks of containers.
#pragma once

#include <optional>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// The pod's terminationGracePeriodSeconds; a hook must not sleep longer.
using GracePeriod = std::optional<int64_t>;

// The three probes and the lifecycle of a container that runs as long as its pod.
void CheckProbesAndLifecycle(core_v1::ContainerView container, GracePeriod grace, core_v1::PodOSView os,
                             const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

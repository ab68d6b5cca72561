// What a pod's status says of its containers' users and devices, and of its claims.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// `path`: of the status.
void CheckClaimStatuses(core_v1::PodView pod, const Path& path, ErrorList& errors);
void CheckContainerUsers(core_v1::PodView pod, const Path& path, ErrorList& errors);
void CheckAllocatedResources(core_v1::PodView pod, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

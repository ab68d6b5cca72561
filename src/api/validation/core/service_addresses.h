// Cluster IPs and IP families of services.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// `was` is null on creation; addresses it had are not checked again.
void CheckClusterIps(core_v1::ServiceView service, core_v1::ServiceView was, const Path& spec_path,
                     ErrorList& errors);
// The first address and family stay; a second may be added, or given up on purpose.
void CheckClusterIpUpdate(core_v1::ServiceView now, core_v1::ServiceView was, const Path& spec_path,
                          ErrorList& errors);

}  // namespace keelson::api::core

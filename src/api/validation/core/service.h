// Services.
#pragma once

#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateService(core_v1::ServiceView service);
field::ErrorList ValidateServiceUpdate(core_v1::ServiceView now, core_v1::ServiceView was);
field::ErrorList ValidateServiceStatusUpdate(core_v1::ServiceView now, core_v1::ServiceView was);

// Fields that are deprecated, ignored or not in their usual notation.
std::vector<std::string> WarningsForService(core_v1::ServiceView service);
std::vector<std::string> WarningsForServiceStatus(core_v1::ServiceView service);

bool IsHeadless(core_v1::ServiceView service);
// Reachable from outside the cluster.
bool IsExternallyAccessible(core_v1::ServiceView service);
// A load balancer that keeps to nodes with endpoints must ask which those are.
bool NeedsHealthCheck(core_v1::ServiceView service);

}  // namespace keelson::api::core

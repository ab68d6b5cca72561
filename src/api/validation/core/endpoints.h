#pragma once

#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateEndpoints(core_v1::EndpointsView endpoints);
// Subsets that have not changed are not looked at again: older servers took more.
field::ErrorList ValidateEndpointsUpdate(core_v1::EndpointsView now, core_v1::EndpointsView was);
// Addresses that are valid but not in their usual notation.
std::vector<std::string> WarningsForEndpoints(core_v1::EndpointsView endpoints);

// An address that traffic can be sent to; also for external IPs of services.
field::ErrorList ValidateEndpointIp(std::string_view ip, const field::Path& path);

}  // namespace keelson::api::core

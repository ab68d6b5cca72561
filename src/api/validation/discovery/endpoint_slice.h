// Endpoint slices.
#pragma once

#include <string>
#include <vector>

#include "api/generated/discovery_v1.h"
#include "api/validation/field.h"

namespace keelson::api::discovery {

field::ErrorList ValidateEndpointSlice(discovery_v1::EndpointSliceView slice);
field::ErrorList ValidateEndpointSliceUpdate(discovery_v1::EndpointSliceView now,
                                             discovery_v1::EndpointSliceView was);
// Addresses that are not in their usual notation.
std::vector<std::string> WarningsForEndpointSlice(discovery_v1::EndpointSliceView slice);

}  // namespace keelson::api::discovery

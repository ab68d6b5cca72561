// Rules of requests for the status of resource pools.
#pragma once

#include "api/generated/resource_v1alpha3.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

// `was` is null on creation.
field::ErrorList ValidatePoolStatusRequest(resource_v1alpha3::ResourcePoolStatusRequestView now,
                                           resource_v1alpha3::ResourcePoolStatusRequestView was);
field::ErrorList ValidatePoolStatusRequestStatus(resource_v1alpha3::ResourcePoolStatusRequestView now,
                                                 resource_v1alpha3::ResourcePoolStatusRequestView was);

}  // namespace keelson::api::resource

// Rules of device classes, resource claims and their templates. What CEL selectors say is
// not checked.
#pragma once

#include "api/generated/resource_v1.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

field::ErrorList ValidateDeviceClass(resource_v1::DeviceClassView device_class);
field::ErrorList ValidateResourceClaim(resource_v1::ResourceClaimView claim);
field::ErrorList ValidateResourceClaimUpdate(resource_v1::ResourceClaimView now,
                                             resource_v1::ResourceClaimView was);
field::ErrorList ValidateResourceClaimStatusUpdate(resource_v1::ResourceClaimView now,
                                                   resource_v1::ResourceClaimView was);
field::ErrorList ValidateResourceClaimTemplate(resource_v1::ResourceClaimTemplateView claim_template);
field::ErrorList ValidateResourceClaimTemplateUpdate(resource_v1::ResourceClaimTemplateView now,
                                                     resource_v1::ResourceClaimTemplateView was);

}  // namespace keelson::api::resource

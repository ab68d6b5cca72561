// Rules of device classes, resource claims and their templates.
#pragma once

#include "api/generated/resource_v1.h"
#include "api/validation/expressions.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

field::ErrorList ValidateDeviceClass(resource_v1::DeviceClassView device_class, const ExpressionRules& rules);
field::ErrorList ValidateResourceClaim(resource_v1::ResourceClaimView claim, const ExpressionRules& rules);
field::ErrorList ValidateResourceClaimUpdate(resource_v1::ResourceClaimView now,
                                             resource_v1::ResourceClaimView was);
field::ErrorList ValidateResourceClaimStatusUpdate(resource_v1::ResourceClaimView now,
                                                   resource_v1::ResourceClaimView was);
field::ErrorList ValidateResourceClaimTemplate(resource_v1::ResourceClaimTemplateView claim_template,
                                               const ExpressionRules& rules);
field::ErrorList ValidateResourceClaimTemplateUpdate(resource_v1::ResourceClaimTemplateView now,
                                                     resource_v1::ResourceClaimTemplateView was,
                                                     const ExpressionRules& rules);

}  // namespace keelson::api::resource

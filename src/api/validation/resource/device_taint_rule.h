// Rules that taint devices.
#pragma once

#include "api/generated/resource_v1alpha3.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

// `was` is null on creation.
field::ErrorList ValidateDeviceTaintRule(resource_v1alpha3::DeviceTaintRuleView now,
                                         resource_v1alpha3::DeviceTaintRuleView was);
field::ErrorList ValidateDeviceTaintRuleStatus(resource_v1alpha3::DeviceTaintRuleView now);

}  // namespace keelson::api::resource

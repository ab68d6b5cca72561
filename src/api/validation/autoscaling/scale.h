// Scale: how many replicas there should be, whatever the kind that makes them.
#pragma once

#include "api/generated/autoscaling_v1.h"
#include "api/validation/field.h"

namespace keelson::api::autoscaling {

// With its metadata, for it is no object with a strategy of its own.
field::ErrorList ValidateScale(autoscaling_v1::ScaleView scale);

}  // namespace keelson::api::autoscaling

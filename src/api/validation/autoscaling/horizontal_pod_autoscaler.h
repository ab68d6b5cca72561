// HorizontalPodAutoscalers, in the version they are stored in (autoscaling/v2). Metadata
// common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/autoscaling_v2.h"
#include "api/validation/field.h"

namespace keelson::api::autoscaling {

field::ErrorList ValidateHorizontalPodAutoscaler(autoscaling_v2::HorizontalPodAutoscalerView autoscaler);
field::ErrorList ValidateHorizontalPodAutoscalerUpdate(autoscaling_v2::HorizontalPodAutoscalerView now,
                                                       autoscaling_v2::HorizontalPodAutoscalerView was);
field::ErrorList ValidateHorizontalPodAutoscalerStatus(
    autoscaling_v2::HorizontalPodAutoscalerStatusView status);

}  // namespace keelson::api::autoscaling

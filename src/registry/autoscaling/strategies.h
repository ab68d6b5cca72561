// The strategies of autoscaling, in the version that is stored (v2).
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::autoscaling {

const Strategy& HorizontalPodAutoscalers();
const Strategy& HorizontalPodAutoscalerStatus();

}  // namespace keelson::registry::autoscaling

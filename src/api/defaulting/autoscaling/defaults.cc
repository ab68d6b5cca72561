#include "api/defaulting/autoscaling/defaults.h"

#include "api/defaulting/autoscaling/horizontal_pod_autoscaler.h"
#include "api/generated/autoscaling_v1.h"
#include "api/generated/autoscaling_v2.h"

namespace keelson::api::autoscaling {

std::span<const DefaultsEntry> Defaults() {
  static constexpr DefaultsEntry entries[] = {
      {&autoscaling_v1::kHorizontalPodAutoscalerType, SetHorizontalPodAutoscalerV1Defaults},
      {&autoscaling_v2::kHorizontalPodAutoscalerType, SetHorizontalPodAutoscalerV2Defaults},
  };
  return entries;
}

}  // namespace keelson::api::autoscaling

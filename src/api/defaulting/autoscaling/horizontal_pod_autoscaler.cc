#include "api/defaulting/autoscaling/horizontal_pod_autoscaler.h"

#include "api/generated/autoscaling_v1.h"
#include "api/generated/autoscaling_v2.h"

namespace keelson::api::autoscaling {
namespace {

using namespace autoscaling_v2;

constexpr int32_t kCpuUtilizationPercent = 80;
constexpr int32_t kPolicyPeriodSeconds = 15;
constexpr int32_t kScaleUpPods = 4;
constexpr int32_t kScalePercent = 100;

void AddPolicy(HPAScalingRulesEditor rules, std::string_view type, int32_t value) {
  auto policy = rules.add_policies();
  policy.set_type_static(type);
  policy.set_value(value);
  policy.set_period_seconds(kPolicyPeriodSeconds);
}

// A list that is there and empty was asked for.
bool HasPolicies(HPAScalingRulesView rules) {
  return !rules.node()->slot(kHPAScalingRulesType.FindMember("policies").field->ordinal).absent();
}

void SetBehaviorDefaults(HorizontalPodAutoscalerBehaviorEditor behavior) {
  auto up = behavior.mutable_scale_up(), down = behavior.mutable_scale_down();
  for (auto rules : {up, down})
    if (!rules.has_select_policy()) rules.set_select_policy_static("Max");
  // How long to wait before scaling down is the controller's setting.
  if (!up.has_stabilization_window_seconds()) up.set_stabilization_window_seconds(0);
  if (!HasPolicies(up)) {
    AddPolicy(up, "Pods", kScaleUpPods);
    AddPolicy(up, "Percent", kScalePercent);
  }
  if (!HasPolicies(down)) AddPolicy(down, "Percent", kScalePercent);
}

}  // namespace

void SetHorizontalPodAutoscalerV2Defaults(Doc& doc) {
  auto spec = HorizontalPodAutoscalerEditor(doc).mutable_spec();
  if (!spec.has_min_replicas()) spec.set_min_replicas(1);
  if (spec.metrics().empty()) {
    auto metric = spec.add_metrics();
    metric.set_type_static("Resource");
    auto resource = metric.mutable_resource();
    resource.set_name_static("cpu");
    auto target = resource.mutable_target();
    target.set_type_static("Utilization");
    target.set_average_utilization(kCpuUtilizationPercent);
  }
  if (auto behavior = spec.edit_behavior()) SetBehaviorDefaults(behavior);
}

void SetHorizontalPodAutoscalerV1Defaults(Doc& doc) {
  auto spec = autoscaling_v1::HorizontalPodAutoscalerEditor(doc).mutable_spec();
  if (!spec.has_min_replicas()) spec.set_min_replicas(1);
}

}  // namespace keelson::api::autoscaling

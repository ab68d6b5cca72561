#include "api/validation/autoscaling/horizontal_pod_autoscaler.h"

#include <string>

#include "api/codec/quantity.h"
#include "api/validation/autoscaling/metrics.h"
#include "api/validation/core/checks.h"

namespace keelson::api::autoscaling {
namespace {

using namespace autoscaling_v2;
using core::CheckNonNegative;
using core::ErrorList;
using core::Path;
using field::RenderValue;

constexpr int32_t kMaxPeriodSeconds = 1800;
constexpr int32_t kMaxStabilizationWindowSeconds = 3600;

struct Options {
  int32_t min_replicas = 1;
  ReferenceRules target, object = {.core_group = true};
};

void CheckMetrics(HorizontalPodAutoscalerSpecView spec, const Options& options, const Path& path,
                  ErrorList& errors) {
  bool beyond_pods = false;
  size_t i = 0;
  for (auto metric : spec.metrics()) {
    CheckMetric(metric, options.object, path.Index(i++), errors);
    beyond_pods |= metric.type() == "Object" || metric.type() == "External";
  }
  if (spec.has_min_replicas() && spec.min_replicas() == 0 && !beyond_pods)
    errors.Add(field::Forbidden(
        path, "must specify at least one Object or External metric to support scaling to zero replicas"));
}

void CheckAtMost(int32_t value, int32_t max, const Path& path, ErrorList& errors) {
  if (value > max)
    errors.Add(
        field::Invalid(path, RenderValue(value), "must be less than or equal to " + std::to_string(max)));
}

void CheckPolicy(HPAScalingPolicyView policy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {"Percent", "Pods"};
  const Path period = path.Child("periodSeconds");
  core::CheckSupported(policy.type(), kTypes, path.Child("type"), errors);
  core::CheckPositive(policy.value(), path.Child("value"), errors);
  core::CheckPositive(policy.period_seconds(), period, errors);
  CheckAtMost(policy.period_seconds(), kMaxPeriodSeconds, period, errors);
}

void CheckRules(HPAScalingRulesView rules, const Path& path, ErrorList& errors) {
  if (!rules) return;
  const int32_t window = rules.stabilization_window_seconds();
  const Path window_path = path.Child("stabilizationWindowSeconds");
  if (window < 0)
    errors.Add(field::Invalid(window_path, RenderValue(window), "must be greater than or equal to zero"));
  CheckAtMost(window, kMaxStabilizationWindowSeconds, window_path, errors);
  constexpr std::string_view kSelect[] = {"Disabled", "Max", "Min"};
  if (rules.has_select_policy())
    core::CheckSupported(rules.select_policy(), kSelect, path.Child("selectPolicy"), errors);
  const Path policies = path.Child("policies");
  if (rules.policies().empty()) errors.Add(field::Required(policies, "must specify at least one Policy"));
  size_t i = 0;
  for (auto policy : rules.policies()) CheckPolicy(policy, policies.Index(i++), errors);
  if (!rules.has_tolerance()) return;
  const auto tolerance = Quantity::Parse(rules.tolerance());
  if (tolerance && tolerance->Sign() < 0)
    errors.Add(field::Invalid(path.Child("tolerance"), RenderValue(rules.tolerance()), kMustBeNonNegative));
}

ErrorList ValidateSpec(HorizontalPodAutoscalerSpecView spec, const Options& options) {
  ErrorList errors;
  const Path path("spec"), max = path.Child("maxReplicas"), behavior = path.Child("behavior");
  if (spec.has_min_replicas() && spec.min_replicas() < options.min_replicas)
    errors.Add(field::Invalid(path.Child("minReplicas"), RenderValue(spec.min_replicas()),
                              "must be greater than or equal to " + std::to_string(options.min_replicas)));
  if (spec.max_replicas() == 0) {
    errors.Add(field::Required(max, "must be set and greater than 0"));
  } else if (spec.max_replicas() < 0) {
    errors.Add(field::Invalid(max, RenderValue(spec.max_replicas()), "must be greater than or equal to 1"));
  }
  if (spec.has_min_replicas() && spec.max_replicas() < spec.min_replicas())
    errors.Add(field::Invalid(max, RenderValue(spec.max_replicas()),
                              "must be greater than or equal to `minReplicas`"));
  CheckReference(spec.scale_target_ref(), options.target, path.Child("scaleTargetRef"), errors);
  CheckMetrics(spec, options, path.Child("metrics"), errors);
  CheckRules(spec.behavior().scale_up(), behavior.Child("scaleUp"), errors);
  CheckRules(spec.behavior().scale_down(), behavior.Child("scaleDown"), errors);
  return errors;
}

Options OptionsFor(HorizontalPodAutoscalerSpecView spec) {
  Options options;
  // The only thing of the core group that can be scaled.
  options.target.core_group = spec.scale_target_ref().kind() == "ReplicationController";
  return options;
}

}  // namespace

field::ErrorList ValidateHorizontalPodAutoscaler(HorizontalPodAutoscalerView autoscaler) {
  return ValidateSpec(autoscaler.spec(), OptionsFor(autoscaler.spec()));
}

field::ErrorList ValidateHorizontalPodAutoscalerUpdate(HorizontalPodAutoscalerView now,
                                                       HorizontalPodAutoscalerView was) {
  // What was stored before it was checked may stay.
  Options options = OptionsFor(now.spec());
  const auto before = was.spec();
  const auto target = now.spec().scale_target_ref(), old_target = before.scale_target_ref();
  if (before.has_min_replicas() && before.min_replicas() == 0) options.min_replicas = 0;
  options.target.any_version =
      target.api_version() == old_target.api_version() && target.kind() == old_target.kind();
  for (auto metric : before.metrics())
    if (metric.type() == "Object" && metric.object() &&
        ApiVersionError(metric.object().described_object().api_version(), options.object))
      options.object.any_version = true;
  return ValidateSpec(now.spec(), options);
}

field::ErrorList ValidateHorizontalPodAutoscalerStatus(HorizontalPodAutoscalerStatusView status) {
  ErrorList errors;
  const Path path("status");
  CheckNonNegative(status.current_replicas(), path.Child("currentReplicas"), errors);
  CheckNonNegative(status.desired_replicas(), path.Child("desiredReplicas"), errors);
  return errors;
}

}  // namespace keelson::api::autoscaling

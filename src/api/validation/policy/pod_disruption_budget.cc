#include "api/validation/policy/pod_disruption_budget.h"

#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/int_or_percent.h"
#include "api/validation/label_selector.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/unversioned.h"

namespace keelson::api::policy {
namespace {

using namespace policy_v1;
using core::CheckNonNegative;
using core::ErrorList;
using core::Path;

ErrorList ValidateSpec(PodDisruptionBudgetSpecView spec, const LabelSelectorOptions& options) {
  ErrorList errors;
  const Path path("spec");
  if (spec.has_min_available() && spec.has_max_unavailable())
    errors.Add(field::Invalid(path, field::RenderUnversioned(spec.node()),
                              "minAvailable and maxUnavailable cannot be both set"));
  auto check_amount = [&](const Value& amount, std::string_view member) {
    if (amount.absent()) return;
    CheckIntOrPercent(amount, path.Child(member), errors);
    CheckAtMost100Percent(amount, path.Child(member), errors);
  };
  check_amount(spec.min_available(), "minAvailable");
  check_amount(spec.max_unavailable(), "maxUnavailable");
  errors.Append(ValidateLabelSelector(spec.selector(), path.Child("selector"), options));
  constexpr std::string_view kPolicies[] = {UnhealthyPodEvictionPolicyType::kAlwaysAllow,
                                            UnhealthyPodEvictionPolicyType::kIfHealthyBudget};
  if (spec.has_unhealthy_pod_eviction_policy())
    core::CheckSupported(spec.unhealthy_pod_eviction_policy(), kPolicies,
                         path.Child("unhealthyPodEvictionPolicy"), errors);
  return errors;
}

}  // namespace

field::ErrorList ValidatePodDisruptionBudget(PodDisruptionBudgetView budget) {
  return ValidateSpec(budget.spec(), {});
}

field::ErrorList ValidatePodDisruptionBudgetUpdate(PodDisruptionBudgetView now, PodDisruptionBudgetView was) {
  return ValidateSpec(now.spec(), {.allow_invalid_values = !IsUsableSelector(was.spec().selector())});
}

field::ErrorList ValidatePodDisruptionBudgetStatus(PodDisruptionBudgetStatusView status) {
  const Path path("status");
  ErrorList errors = ValidateConditions(status.conditions(), path.Child("conditions"));
  CheckNonNegative(status.disruptions_allowed(), path.Child("disruptionsAllowed"), errors);
  CheckNonNegative(status.current_healthy(), path.Child("currentHealthy"), errors);
  CheckNonNegative(status.desired_healthy(), path.Child("desiredHealthy"), errors);
  CheckNonNegative(status.expected_pods(), path.Child("expectedPods"), errors);
  return errors;
}

}  // namespace keelson::api::policy

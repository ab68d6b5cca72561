#include "api/validation/coordination/lease.h"

#include "api/validation/names.h"

namespace keelson::api::coordination {

using field::ErrorList;
using field::Path;
using field::RenderValue;

ErrorList ValidateLeaseStrategy(std::string_view strategy, const Path& path) {
  constexpr std::string_view kStrategies[] = {kOldestEmulationVersion};
  ErrorList errors;
  // Upstream names the field twice.
  const Path at = path.Child("strategy");
  if (strategy.find('/') != strategy.npos) {
    errors.AddInvalid(at, strategy, IsQualifiedName(strategy));
  } else if (strategy != kOldestEmulationVersion) {
    errors.Add(field::NotSupported(at, RenderValue(strategy), kStrategies));
  }
  return errors;
}

ErrorList ValidateLease(coordination_v1::LeaseView lease) {
  ErrorList errors;
  const auto spec = lease.spec();
  const Path path("spec");
  if (spec.has_lease_duration_seconds() && spec.lease_duration_seconds() <= 0) {
    errors.Add(field::Invalid(path.Child("leaseDurationSeconds"), RenderValue(spec.lease_duration_seconds()),
                              "must be greater than 0"));
  }
  if (spec.has_lease_transitions() && spec.lease_transitions() < 0) {
    errors.Add(field::Invalid(path.Child("leaseTransitions"), RenderValue(spec.lease_transitions()),
                              "must be greater than or equal to 0"));
  }
  if (spec.has_strategy()) errors.Append(ValidateLeaseStrategy(spec.strategy(), path.Child("strategy")));
  if (!spec.preferred_holder().empty() && spec.strategy().empty()) {
    errors.Add(
        field::Forbidden(path.Child("preferredHolder"), "may only be specified if `strategy` is defined"));
  }
  return errors;
}

}  // namespace keelson::api::coordination

#include "api/validation/coordination/lease.h"

#include "api/validation/names.h"

namespace keelson::api::coordination {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

// A name of ours, or somebody's own with a domain.
void CheckStrategy(std::string_view strategy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kStrategies[] = {"OldestEmulationVersion"};
  // Upstream names the field twice.
  const Path at = path.Child("strategy");
  if (strategy.find('/') != strategy.npos) {
    errors.AddInvalid(at, strategy, IsQualifiedName(strategy));
  } else if (strategy != kStrategies[0]) {
    errors.Add(field::NotSupported(at, RenderValue(strategy), kStrategies));
  }
}

}  // namespace

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
  if (spec.has_strategy()) CheckStrategy(spec.strategy(), path.Child("strategy"), errors);
  if (!spec.preferred_holder().empty() && spec.strategy().empty()) {
    errors.Add(
        field::Forbidden(path.Child("preferredHolder"), "may only be specified if `strategy` is defined"));
  }
  return errors;
}

}  // namespace keelson::api::coordination

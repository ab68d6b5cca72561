#include "api/validation/coordination/lease_candidate.h"

#include "api/validation/coordination/lease.h"
#include "api/validation/semantic_version.h"

namespace keelson::api::coordination {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

// What cannot be read counts as the version 0.0.0.
SemanticVersion ReadVersion(std::string_view text, const Path& path, ErrorList& errors) {
  const auto version = ParseSemanticVersion(text);
  if (!version) errors.Add(field::Invalid(path, RenderValue(text), "must be a valid semantic version"));
  return version.value_or(SemanticVersion());
}

}  // namespace

ErrorList ValidateLeaseCandidate(coordination_v1beta1::LeaseCandidateView now,
                                 coordination_v1beta1::LeaseCandidateView was) {
  ErrorList errors;
  const auto spec = now.spec();
  const Path path("spec"), binary_path = path.Child("binaryVersion"),
                           emulated_path = path.Child("emulationVersion");
  if (spec.lease_name().empty()) errors.Add(field::Required(path.Child("leaseName"), ""));
  SemanticVersion emulated, binary;
  if (!spec.emulation_version().empty())
    emulated = ReadVersion(spec.emulation_version(), emulated_path, errors);
  if (spec.binary_version().empty())
    errors.Add(field::Required(binary_path, ""));
  else
    binary = ReadVersion(spec.binary_version(), binary_path, errors);
  if (!spec.binary_version().empty() && !spec.emulation_version().empty() && binary < emulated)
    errors.Add(field::Invalid(binary_path, RenderValue(spec.binary_version()),
                              "must be greater than or equal to `emulationVersion`"));
  const Path strategy = path.Child("strategy");
  if (spec.strategy().empty()) {
    errors.Add(field::Required(strategy, ""));
  } else {
    if (spec.strategy() == kOldestEmulationVersion && emulated == SemanticVersion())
      errors.Add(
          field::Required(emulated_path, "must be specified when `strategy` is 'OldestEmulationVersion'"));
    errors.Append(ValidateLeaseStrategy(spec.strategy(), strategy));
  }
  if (was && spec.lease_name() != was.spec().lease_name())
    errors.Add(field::Invalid(path.Child("leaseName"), RenderValue(spec.lease_name()), "field is immutable"));
  return errors;
}

}  // namespace keelson::api::coordination

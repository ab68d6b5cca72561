#include "api/validation/core/namespace.h"

#include "api/validation/object_meta.h"

namespace keelson::api::core {
namespace {

using core_v1::NamespacePhase;
using field::ErrorList;
using field::Path;

}  // namespace

ErrorList ValidateNamespace(core_v1::NamespaceView ns) {
  ErrorList errors;
  const Path spec("spec");
  const Path finalizers = spec.Child("finalizers");
  for (const Value& finalizer : ns.spec().finalizers()) {
    errors.Append(ValidateFinalizerName(finalizer.string(), finalizers));
  }
  return errors;
}

ErrorList ValidateNamespaceStatusUpdate(core_v1::NamespaceView now) {
  ErrorList errors;
  const bool deleting = now.metadata().has_deletion_timestamp();
  const std::string_view phase = now.status().phase();
  if (phase != (deleting ? NamespacePhase::kTerminating : NamespacePhase::kActive)) {
    const Path status("status");
    errors.Add(field::Invalid(status.Child("Phase"), field::RenderValue(phase),
                              deleting ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                                       : "may only be 'Active' if `deletionTimestamp` is empty"));
  }
  return errors;
}

ErrorList ValidateNamespaceFinalizeUpdate(core_v1::NamespaceView now) {
  ErrorList errors;
  const Path spec("spec");
  const Path finalizers = spec.Child("finalizers");
  size_t i = 0;
  for (const Value& finalizer : now.spec().finalizers()) {
    errors.Append(ValidateFinalizerName(finalizer.string(), finalizers.Index(i++)));
  }
  return errors;
}

}  // namespace keelson::api::core

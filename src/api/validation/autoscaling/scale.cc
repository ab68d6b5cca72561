#include "api/validation/autoscaling/scale.h"

#include "api/validation/core/checks.h"
#include "api/validation/object_meta.h"

namespace keelson::api::autoscaling {

field::ErrorList ValidateScale(autoscaling_v1::ScaleView scale) {
  const field::Path spec("spec");
  const field::Path metadata("metadata");
  auto errors = ValidateObjectMeta(scale.metadata(), true, NameIsDnsSubdomain, metadata);
  errors.Append(ValidateStandardFinalizers(scale.metadata(), metadata.Child("finalizers")));
  core::CheckNonNegative(scale.spec().replicas(), spec.Child("replicas"), errors);
  return errors;
}

}  // namespace keelson::api::autoscaling

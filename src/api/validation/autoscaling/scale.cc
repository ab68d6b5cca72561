#include "api/validation/autoscaling/scale.h"

#include "api/validation/core/checks.h"
#include "api/validation/object_meta.h"

namespace keelson::api::autoscaling {

field::ErrorList ValidateScale(autoscaling_v1::ScaleView scale) {
  const field::Path spec("spec");
  auto errors = ValidateObjectMeta(scale.metadata(), true, NameIsDnsSubdomain, field::Path("metadata"));
  core::CheckNonNegative(scale.spec().replicas(), spec.Child("replicas"), errors);
  return errors;
}

}  // namespace keelson::api::autoscaling

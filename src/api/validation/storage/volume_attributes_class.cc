#include "api/validation/storage/volume_attributes_class.h"

#include "api/validation/core/checks.h"
#include "api/validation/storage/classes.h"

namespace keelson::api::storage_api {

using field::ErrorList;
using field::Path;
using storage_v1::VolumeAttributesClassView;

ErrorList ValidateVolumeAttributesClass(VolumeAttributesClassView attributes) {
  ErrorList errors;
  CheckProvisioner(attributes.driver_name(), Path("driverName"), errors);
  CheckParameters(attributes.parameters(), false, Path("parameters"), errors);
  return errors;
}

ErrorList ValidateVolumeAttributesClassUpdate(VolumeAttributesClassView now, VolumeAttributesClassView was) {
  ErrorList errors;
  if (now.driver_name() != was.driver_name())
    errors.Add(field::Forbidden(Path("driverName"), "updates to driverName are forbidden."));
  if (!core::SameMap(now.parameters(), was.parameters()))
    errors.Add(field::Forbidden(Path("parameters"), "updates to parameters are forbidden."));
  errors.Append(ValidateVolumeAttributesClass(now));
  return errors;
}

}  // namespace keelson::api::storage_api

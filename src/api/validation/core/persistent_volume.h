// Persistent volumes.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidatePersistentVolume(core_v1::PersistentVolumeView volume);
field::ErrorList ValidatePersistentVolumeUpdate(core_v1::PersistentVolumeView now,
                                                core_v1::PersistentVolumeView was);

// A volume that stands in another object and has no object of its own.
void CheckInlineVolumeSpec(core_v1::PersistentVolumeSpecView spec, const field::Path& path,
                           field::ErrorList& errors);

}  // namespace keelson::api::core

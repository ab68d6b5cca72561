// Persistent volumes.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidatePersistentVolume(core_v1::PersistentVolumeView volume);
field::ErrorList ValidatePersistentVolumeUpdate(core_v1::PersistentVolumeView now,
                                                core_v1::PersistentVolumeView was);

}  // namespace keelson::api::core

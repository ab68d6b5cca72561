// What containers mount, and the raw devices they get.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/volume.h"

namespace keelson::api::core {

// Both lists of a container; `privileged` allows mounts to propagate back to the host.
void CheckMountsAndDevices(ListView<core_v1::VolumeMountView> mounts,
                           ListView<core_v1::VolumeDeviceView> devices, const VolumesByName& volumes,
                           bool privileged, const Path& container, ErrorList& errors);

}  // namespace keelson::api::core

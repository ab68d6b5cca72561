// Pods. Metadata common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidatePod(core_v1::PodView pod);
// All that must hold of `now`, and that only what may change has changed since `was`.
field::ErrorList ValidatePodUpdate(core_v1::PodView now, core_v1::PodView was);
field::ErrorList ValidatePodStatusUpdate(core_v1::PodView now, core_v1::PodView was);

}  // namespace keelson::api::core

#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// For creation and update alike.
field::ErrorList ValidateLimitRange(core_v1::LimitRangeView range);

}  // namespace keelson::api::core

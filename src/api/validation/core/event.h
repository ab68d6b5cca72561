#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// The rules of core/v1, for creation and update alike.
field::ErrorList ValidateEvent(core_v1::EventView event);

}  // namespace keelson::api::core

#pragma once

#include <string_view>

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// The rules of core/v1, for creation and update alike.
// `reporter` is what the client's version calls the field of that meaning.
field::ErrorList ValidateEvent(core_v1::EventView event, std::string_view reporter = "reportingComponent");

}  // namespace keelson::api::core

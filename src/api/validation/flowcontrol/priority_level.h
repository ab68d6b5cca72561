// Priority levels.
#pragma once

#include "api/generated/flowcontrol_v1.h"
#include "api/validation/field.h"

namespace keelson::api::flowcontrol {

field::ErrorList ValidatePriorityLevel(flowcontrol_v1::PriorityLevelConfigurationView level);
field::ErrorList ValidatePriorityLevelStatus(flowcontrol_v1::PriorityLevelConfigurationStatusView status);

}  // namespace keelson::api::flowcontrol

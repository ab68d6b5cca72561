// Nodes.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateNode(core_v1::NodeView node);
field::ErrorList ValidateNodeUpdate(core_v1::NodeView now, core_v1::NodeView was);
field::ErrorList ValidateNodeStatusUpdate(core_v1::NodeView now, core_v1::NodeView was);

}  // namespace keelson::api::core

// Flow schemas.
#pragma once

#include "api/generated/flowcontrol_v1.h"
#include "api/validation/field.h"

namespace keelson::api::flowcontrol {

field::ErrorList ValidateFlowSchema(flowcontrol_v1::FlowSchemaView schema);
field::ErrorList ValidateFlowSchemaStatus(flowcontrol_v1::FlowSchemaStatusView status);

}  // namespace keelson::api::flowcontrol

// Replication controllers and pod templates as objects.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// On creation and update alike.
field::ErrorList ValidateReplicationController(core_v1::ReplicationControllerView controller);
field::ErrorList ValidateReplicationControllerStatus(core_v1::ReplicationControllerStatusView status);
field::ErrorList ValidatePodTemplate(core_v1::PodTemplateView pod_template);

}  // namespace keelson::api::core

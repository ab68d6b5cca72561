// ReplicaSets. Metadata common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/apps_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apps {

field::ErrorList ValidateReplicaSet(apps_v1::ReplicaSetView set);
field::ErrorList ValidateReplicaSetUpdate(apps_v1::ReplicaSetView now, apps_v1::ReplicaSetView was);
field::ErrorList ValidateReplicaSetStatus(apps_v1::ReplicaSetStatusView status);

}  // namespace keelson::api::apps

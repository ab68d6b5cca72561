// The strategies of apps/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::apps {

const Strategy& ControllerRevisions();
const Strategy& DaemonSets();
const Strategy& DaemonSetStatus();
const Strategy& Deployments();
const Strategy& DeploymentStatus();
const Strategy& ReplicaSets();
const Strategy& ReplicaSetStatus();
const Strategy& StatefulSets();
const Strategy& StatefulSetStatus();

}  // namespace keelson::registry::apps

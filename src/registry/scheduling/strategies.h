// The strategies of scheduling.k8s.io, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::scheduling {

const Strategy& PodGroups();
const Strategy& PodGroupStatus();
const Strategy& PriorityClasses();
const Strategy& Workloads();

}  // namespace keelson::registry::scheduling

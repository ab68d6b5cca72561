// The strategies of node.k8s.io/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::node {

const Strategy& RuntimeClasses();

}  // namespace keelson::registry::node

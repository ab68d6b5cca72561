// The resources of node.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::node {

Group Resources();

}  // namespace keelson::registry::node

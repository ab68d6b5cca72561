// The resources of networking.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::networking {

Group Resources();

}  // namespace keelson::registry::networking

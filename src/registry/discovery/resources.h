// The resources of discovery.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::discovery {

Group Resources();

}  // namespace keelson::registry::discovery

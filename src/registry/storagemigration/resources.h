// The resources of storagemigration.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::storagemigration {

Group Resources();

}  // namespace keelson::registry::storagemigration

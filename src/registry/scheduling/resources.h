// The resources of scheduling.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::scheduling {

Group Resources();

}  // namespace keelson::registry::scheduling

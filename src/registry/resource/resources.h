// The resources of resource.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::resource {

Group Resources();

}  // namespace keelson::registry::resource

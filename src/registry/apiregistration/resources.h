// The resources of apiregistration.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::apiregistration {

Group Resources();

}  // namespace keelson::registry::apiregistration

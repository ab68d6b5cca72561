// The resources of authentication.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::authentication {

Group Resources();

}  // namespace keelson::registry::authentication

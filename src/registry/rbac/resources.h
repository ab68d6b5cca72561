// The resources of rbac.authorization.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::rbac {

Group Resources();

}  // namespace keelson::registry::rbac

// The resources of authorization.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::authorization {

Group Resources();

}  // namespace keelson::registry::authorization

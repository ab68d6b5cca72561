// The resources of policy and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::policy {

Group Resources();

}  // namespace keelson::registry::policy

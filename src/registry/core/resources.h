// The resources of core/v1 and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::core {

Group Resources();

}  // namespace keelson::registry::core

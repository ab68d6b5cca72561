// The resources of batch and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::batch {

Group Resources();

}  // namespace keelson::registry::batch

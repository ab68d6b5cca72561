// The resources of apps and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::apps {

Group Resources();

}  // namespace keelson::registry::apps

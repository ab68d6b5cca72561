// The resources of autoscaling and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::autoscaling {

Group Resources();

}  // namespace keelson::registry::autoscaling

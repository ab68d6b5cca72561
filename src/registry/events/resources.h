// The resources of events.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::events {

Group Resources();

}  // namespace keelson::registry::events

// The resources of flowcontrol.apiserver.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::flowcontrol {

Group Resources();

}  // namespace keelson::registry::flowcontrol

// The resources of coordination.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::coordination {

Group Resources();

}  // namespace keelson::registry::coordination

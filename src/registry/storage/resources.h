// The resources of storage.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::storage_api {

Group Resources();

}  // namespace keelson::registry::storage_api

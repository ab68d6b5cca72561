// The resources of apiextensions.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::apiextensions {

Group Resources();

}  // namespace keelson::registry::apiextensions

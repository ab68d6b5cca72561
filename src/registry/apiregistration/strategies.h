// The strategies of apiregistration.k8s.io/v1, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::apiregistration {

const Strategy& ApiServices();
const Strategy& ApiServiceStatus();

}  // namespace keelson::registry::apiregistration

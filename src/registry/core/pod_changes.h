// The strategies of the subresources through which a pod's spec can be changed.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::core {

const Strategy& PodEphemeralContainers();
const Strategy& PodResize();

}  // namespace keelson::registry::core

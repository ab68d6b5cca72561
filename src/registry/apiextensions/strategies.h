// The strategies of apiextensions.k8s.io/v1, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::apiextensions {

const Strategy& CustomResourceDefinitions();
const Strategy& CustomResourceDefinitionStatus();

}  // namespace keelson::registry::apiextensions

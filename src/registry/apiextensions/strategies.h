// The strategies of apiextensions.k8s.io/v1, one file each beside this one.
#pragma once

#include <memory>

#include "registry/group.h"
#include "registry/strategy.h"

namespace keelson::registry::apiextensions {

std::unique_ptr<Strategy> MakeCustomResourceDefinitions(const Dependencies& dependencies);
const Strategy& CustomResourceDefinitionStatus();

}  // namespace keelson::registry::apiextensions

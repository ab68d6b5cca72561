// The strategies of policy/v1.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::policy {

const Strategy& PodDisruptionBudgets();
const Strategy& PodDisruptionBudgetStatus();

}  // namespace keelson::registry::policy

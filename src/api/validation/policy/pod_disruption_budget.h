// PodDisruptionBudgets. Metadata common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/policy_v1.h"
#include "api/validation/field.h"

namespace keelson::api::policy {

field::ErrorList ValidatePodDisruptionBudget(policy_v1::PodDisruptionBudgetView budget);
field::ErrorList ValidatePodDisruptionBudgetUpdate(policy_v1::PodDisruptionBudgetView now,
                                                   policy_v1::PodDisruptionBudgetView was);
field::ErrorList ValidatePodDisruptionBudgetStatus(policy_v1::PodDisruptionBudgetStatusView status);

}  // namespace keelson::api::policy

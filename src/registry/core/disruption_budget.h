// What a disruption budget says to an eviction.
#pragma once

#include <string_view>

#include "api/generated/policy_v1.h"
#include "api/meta/status.h"
#include "base/clock.h"
#include "registry/rest/types.h"

namespace keelson::registry::core {

// Whether a pod that is not ready may go without being counted.
bool SparesUnready(api::policy_v1::PodDisruptionBudgetView budget);

// The budget after `pod` was allowed to go; a 429 or 403 when it is not.
rest::Result<api::Doc> WithOneDisruptionLess(const api::Doc& budget, std::string_view pod,
                                             const base::Clock& clock);

// The answer while the budget's controller has not seen the newest budget.
api::Status StillProcessed(std::string_view budget);
// The answer to a pod that several budgets select.
api::Status ManyBudgets();

}  // namespace keelson::registry::core

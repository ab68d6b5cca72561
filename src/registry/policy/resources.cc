#include "registry/policy/resources.h"

#include "registry/policy/strategies.h"

namespace keelson::registry::policy {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "poddisruptionbudgets",
       .strategy = PodDisruptionBudgets,
       .subresources = {{"status", PodDisruptionBudgetStatus}}},
  };
  return {"policy", rows};
}

}  // namespace keelson::registry::policy

#include "registry/coordination/resources.h"

#include "registry/coordination/strategies.h"

namespace keelson::registry::coordination {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "leases", .strategy = Leases},
      {.plural = "leasecandidates", .strategy = LeaseCandidates, .version = "v1beta1"},
      {.plural = "leasecandidates", .version = "v1alpha2"},
  };
  return {"coordination.k8s.io", rows};
}

}  // namespace keelson::registry::coordination

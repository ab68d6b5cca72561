#include "registry/coordination/resources.h"

namespace keelson::registry::coordination {

Group Resources() { return {"coordination.k8s.io", {}}; }

}  // namespace keelson::registry::coordination

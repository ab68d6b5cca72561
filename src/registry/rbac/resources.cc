#include "registry/rbac/resources.h"

namespace keelson::registry::rbac {

Group Resources() { return {"rbac.authorization.k8s.io", {}}; }

}  // namespace keelson::registry::rbac

#include "registry/authorization/resources.h"

namespace keelson::registry::authorization {

Group Resources() { return {"authorization.k8s.io", {}}; }

}  // namespace keelson::registry::authorization

#include "registry/authentication/resources.h"

namespace keelson::registry::authentication {

Group Resources() { return {"authentication.k8s.io", {}}; }

}  // namespace keelson::registry::authentication

#include "registry/apiregistration/resources.h"

namespace keelson::registry::apiregistration {

Group Resources() { return {"apiregistration.k8s.io", {}}; }

}  // namespace keelson::registry::apiregistration

#include "registry/scheduling/resources.h"

namespace keelson::registry::scheduling {

Group Resources() { return {"scheduling.k8s.io", {}}; }

}  // namespace keelson::registry::scheduling

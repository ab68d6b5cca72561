#include "registry/discovery/resources.h"

namespace keelson::registry::discovery {

Group Resources() { return {"discovery.k8s.io", {}}; }

}  // namespace keelson::registry::discovery

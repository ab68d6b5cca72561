#include "registry/networking/resources.h"

namespace keelson::registry::networking {

Group Resources() { return {"networking.k8s.io", {}}; }

}  // namespace keelson::registry::networking

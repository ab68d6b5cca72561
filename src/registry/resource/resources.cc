#include "registry/resource/resources.h"

namespace keelson::registry::resource {

Group Resources() { return {"resource.k8s.io", {}}; }

}  // namespace keelson::registry::resource

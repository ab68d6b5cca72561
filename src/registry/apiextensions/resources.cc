#include "registry/apiextensions/resources.h"

namespace keelson::registry::apiextensions {

Group Resources() { return {"apiextensions.k8s.io", {}}; }

}  // namespace keelson::registry::apiextensions

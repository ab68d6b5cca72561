#include "registry/flowcontrol/resources.h"

namespace keelson::registry::flowcontrol {

Group Resources() { return {"flowcontrol.apiserver.k8s.io", {}}; }

}  // namespace keelson::registry::flowcontrol

#include "registry/node/resources.h"

namespace keelson::registry::node {

Group Resources() { return {"node.k8s.io", {}}; }

}  // namespace keelson::registry::node

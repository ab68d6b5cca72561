#include "registry/node/resources.h"

#include "registry/node/strategies.h"

namespace keelson::registry::node {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "runtimeclasses", .strategy = RuntimeClasses},
  };
  return {"node.k8s.io", rows};
}

}  // namespace keelson::registry::node

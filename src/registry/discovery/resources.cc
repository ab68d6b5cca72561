#include "registry/discovery/resources.h"

#include "registry/discovery/strategies.h"

namespace keelson::registry::discovery {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "endpointslices", .strategy = EndpointSlices},
  };
  return {"discovery.k8s.io", rows};
}

}  // namespace keelson::registry::discovery

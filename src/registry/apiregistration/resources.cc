#include "registry/apiregistration/resources.h"

#include "registry/apiregistration/strategies.h"

namespace keelson::registry::apiregistration {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "apiservices", .strategy = ApiServices, .subresources = {{"status", ApiServiceStatus}}},
  };
  return {"apiregistration.k8s.io", rows};
}

}  // namespace keelson::registry::apiregistration

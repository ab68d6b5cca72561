#include "registry/apiextensions/resources.h"

#include "registry/apiextensions/strategies.h"

namespace keelson::registry::apiextensions {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "customresourcedefinitions",
       .strategy = CustomResourceDefinitions,
       .subresources = {{"status", CustomResourceDefinitionStatus}}},
  };
  return {"apiextensions.k8s.io", rows};
}

}  // namespace keelson::registry::apiextensions

#include "registry/flowcontrol/resources.h"

#include "registry/flowcontrol/strategies.h"

namespace keelson::registry::flowcontrol {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "flowschemas", .strategy = FlowSchemas, .subresources = {{"status", FlowSchemaStatus}}},
      {.plural = "prioritylevelconfigurations",
       .strategy = PriorityLevels,
       .subresources = {{"status", PriorityLevelStatus}}},
  };
  return {"flowcontrol.apiserver.k8s.io", rows};
}

}  // namespace keelson::registry::flowcontrol

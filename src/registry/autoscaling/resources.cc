#include "registry/autoscaling/resources.h"

#include "registry/autoscaling/strategies.h"

namespace keelson::registry::autoscaling {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "horizontalpodautoscalers",
       .strategy = HorizontalPodAutoscalers,
       .subresources = {{"status", HorizontalPodAutoscalerStatus}},
       .version = "v2"},
      {.plural = "horizontalpodautoscalers", .version = "v1"},
  };
  return {"autoscaling", rows};
}

}  // namespace keelson::registry::autoscaling

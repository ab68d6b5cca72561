#include "registry/resource/resources.h"

#include "registry/resource/strategies.h"

namespace keelson::registry::resource {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "deviceclasses", .strategy = DeviceClasses, .returns_deleted_object = true},
      {.plural = "resourceclaims",
       .strategy = ResourceClaims,
       .subresources = {{"status", ResourceClaimStatus}},
       .returns_deleted_object = true},
      {.plural = "resourceclaimtemplates",
       .strategy = ResourceClaimTemplates,
       .returns_deleted_object = true},
      {.plural = "resourceslices", .strategy = ResourceSlices, .returns_deleted_object = true},
  };
  return {"resource.k8s.io", rows};
}

}  // namespace keelson::registry::resource

#include "registry/resource/resources.h"

#include "registry/resource/claim_authorization.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "deviceclasses", .strategy = DeviceClasses, .returns_deleted_object = true},
      {.plural = "resourceclaims",
       .strategy = ResourceClaims,
       .subresources = {{.name = "status",
                         .strategy = ResourceClaimStatus,
                         .make_check = MakeClaimStatusCheck}},
       .returns_deleted_object = true,
       .make_check = MakeClaimCheck},
      {.plural = "resourceclaimtemplates",
       .strategy = ResourceClaimTemplates,
       .returns_deleted_object = true,
       .make_check = MakeClaimTemplateCheck},
      {.plural = "resourceslices", .strategy = ResourceSlices, .returns_deleted_object = true},
  };
  return {"resource.k8s.io", rows};
}

}  // namespace keelson::registry::resource

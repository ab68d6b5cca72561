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
      {.plural = "devicetaintrules",
       .strategy = DeviceTaintRules,
       .subresources = {{"status", DeviceTaintRuleStatus}},
       .returns_deleted_object = true,
       .version = "v1alpha3"},
      {.plural = "devicetaintrules", .version = "v1beta2"},
      {.plural = "resourcepoolstatusrequests",
       .strategy = PoolStatusRequests,
       .subresources = {{"status", PoolStatusRequestStatus}},
       .returns_deleted_object = true,
       .version = "v1alpha3"},
      {.plural = "deviceclasses", .version = "v1beta2"},
      {.plural = "resourceclaims", .version = "v1beta2"},
      {.plural = "resourceclaimtemplates", .version = "v1beta2"},
      {.plural = "resourceslices", .version = "v1beta2"},
      {.plural = "deviceclasses", .version = "v1beta1"},
      {.plural = "resourceclaims", .version = "v1beta1"},
      {.plural = "resourceclaimtemplates", .version = "v1beta1"},
      {.plural = "resourceslices", .version = "v1beta1"},
  };
  return {"resource.k8s.io", rows};
}

}  // namespace keelson::registry::resource

#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/resource_list.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetResourceQuotaDefaults(Doc& doc) {
  core_v1::ResourceQuotaEditor quota(doc);
  RoundUpResourceLists(quota.edit_spec().node(), doc.arena());
  RoundUpResourceLists(quota.edit_status().node(), doc.arena());
}

}  // namespace keelson::api::core

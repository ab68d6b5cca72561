// What objects count against a ResourceQuota.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/codec/quantity.h"
#include "api/generated/core_v1.h"
#include "api/types/resource_desc.h"

namespace keelson::controllers {

using Usage = std::map<std::string, api::Quantity, std::less<>>;

// The resource whose objects a quota limits under `name` ("cpu", "services.nodeports",
// "count/jobs.batch"). The views point into `name` or are constant; `resource` is empty for
// a name that nothing counts.
struct Counted {
  std::string_view group, resource;
};
Counted CountedBy(std::string_view name);
// Each object of the resource counts one under `name`, whatever it is like.
bool CountsObjects(std::string_view name);

// By the names under which quotas limit it. `now` is in Unix seconds.
Usage UsageOfPod(api::core_v1::PodView pod, int64_t now);
Usage UsageOfService(api::core_v1::ServiceView service);
Usage UsageOfClaim(api::core_v1::PersistentVolumeClaimView claim);

// A quota with scopes limits only what all of them match.
bool HasScopes(api::core_v1::ResourceQuotaSpecView quota);
bool ScopesMatch(api::core_v1::ResourceQuotaSpecView quota, api::core_v1::PodView pod);

}  // namespace keelson::controllers

// The strategies of resource.k8s.io, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::resource {

const Strategy& DeviceClasses();
const Strategy& DeviceTaintRules();
const Strategy& DeviceTaintRuleStatus();
const Strategy& PoolStatusRequests();
const Strategy& PoolStatusRequestStatus();
const Strategy& ResourceClaims();
const Strategy& ResourceClaimStatus();
const Strategy& ResourceClaimTemplates();
const Strategy& ResourceSlices();

}  // namespace keelson::registry::resource

// The strategies of networking.k8s.io/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::networking {

const Strategy& Ingresses();
const Strategy& IngressStatus();
const Strategy& IngressClasses();
const Strategy& NetworkPolicies();
const Strategy& ServiceCidrs();
const Strategy& ServiceCidrStatus();
const Strategy& IpAddresses();

}  // namespace keelson::registry::networking

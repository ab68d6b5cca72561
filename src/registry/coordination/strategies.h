// The strategies of coordination.k8s.io/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::coordination {

const Strategy& LeaseCandidates();
const Strategy& Leases();

}  // namespace keelson::registry::coordination

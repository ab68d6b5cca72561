// The strategies of storagemigration.k8s.io, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::storagemigration {

const Strategy& Migrations();
const Strategy& MigrationStatus();

}  // namespace keelson::registry::storagemigration

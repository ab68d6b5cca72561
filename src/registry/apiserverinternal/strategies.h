// The strategies of internal.apiserver.k8s.io, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::apiserverinternal {

const Strategy& StorageVersions();
const Strategy& StorageVersionStatus();

}  // namespace keelson::registry::apiserverinternal

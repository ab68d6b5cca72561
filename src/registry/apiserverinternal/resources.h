// The resources of internal.apiserver.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::apiserverinternal {

Group Resources();

}  // namespace keelson::registry::apiserverinternal

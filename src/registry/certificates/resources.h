// The resources of certificates.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::certificates {

Group Resources();

}  // namespace keelson::registry::certificates

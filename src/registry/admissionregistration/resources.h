// The resources of admissionregistration.k8s.io and their rules.
#pragma once

#include "registry/group.h"

namespace keelson::registry::admissionregistration {

Group Resources();

}  // namespace keelson::registry::admissionregistration

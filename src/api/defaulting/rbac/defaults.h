// The defaults of rbac.authorization.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::rbac {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::rbac

// The defaults of resource.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::resource {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::resource

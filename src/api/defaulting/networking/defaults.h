// The defaults of networking.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::networking {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::networking

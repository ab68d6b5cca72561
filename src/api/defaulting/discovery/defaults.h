// The defaults of discovery.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::discovery {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::discovery

// The defaults of scheduling.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::scheduling {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::scheduling

// The defaults of apiregistration.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::apiregistration {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::apiregistration

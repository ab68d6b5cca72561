// The defaults of apiextensions.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::apiextensions {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::apiextensions

// The defaults of authentication.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::authentication {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::authentication

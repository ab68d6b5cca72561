// The defaults of authorization.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::authorization {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::authorization

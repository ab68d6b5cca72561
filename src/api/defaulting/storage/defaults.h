// The defaults of storage.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::storage_api {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::storage_api

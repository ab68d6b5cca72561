// Storage classes.
#pragma once

#include <string>
#include <vector>

#include "api/generated/storage_v1.h"
#include "api/validation/field.h"

namespace keelson::api::storage_api {

field::ErrorList ValidateStorageClass(storage_v1::StorageClassView storage_class);
field::ErrorList ValidateStorageClassUpdate(storage_v1::StorageClassView now,
                                            storage_v1::StorageClassView was);
// Labels of nodes that should no longer be used.
std::vector<std::string> WarningsForStorageClass(storage_v1::StorageClassView storage_class);

}  // namespace keelson::api::storage_api

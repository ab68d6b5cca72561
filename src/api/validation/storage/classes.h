// What classes of volumes have in common: a driver and its parameters.
#pragma once

#include <string_view>

#include "api/types/view.h"
#include "api/validation/field.h"

namespace keelson::api::storage_api {

// A qualified name, in any case.
void CheckProvisioner(std::string_view provisioner, const field::Path& path, field::ErrorList& errors);
// Not too many, not too large, none without a name.
void CheckParameters(MapView parameters, bool may_be_empty, const field::Path& path,
                     field::ErrorList& errors);

}  // namespace keelson::api::storage_api

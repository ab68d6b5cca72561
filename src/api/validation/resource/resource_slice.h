// Rules of resource slices.
#pragma once

#include "api/generated/resource_v1.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

// `was` is null on creation.
field::ErrorList ValidateResourceSlice(resource_v1::ResourceSliceView now,
                                       resource_v1::ResourceSliceView was);

}  // namespace keelson::api::resource

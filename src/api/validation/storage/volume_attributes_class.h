// Volume attributes classes.
#pragma once

#include "api/generated/storage_v1.h"
#include "api/validation/field.h"

namespace keelson::api::storage_api {

field::ErrorList ValidateVolumeAttributesClass(storage_v1::VolumeAttributesClassView attributes);
field::ErrorList ValidateVolumeAttributesClassUpdate(storage_v1::VolumeAttributesClassView now,
                                                     storage_v1::VolumeAttributesClassView was);

}  // namespace keelson::api::storage_api

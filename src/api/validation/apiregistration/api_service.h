// Rules of apiregistration.k8s.io/v1.
#pragma once

#include "api/generated/apiregistration_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apiregistration {

// All but the form of the name.
field::ErrorList ValidateApiService(apiregistration_v1::APIServiceView service);
field::ErrorList ValidateApiServiceStatusUpdate(apiregistration_v1::APIServiceView now);

}  // namespace keelson::api::apiregistration

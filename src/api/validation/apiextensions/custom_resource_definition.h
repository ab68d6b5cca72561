// Rules of apiextensions.k8s.io/v1.
#pragma once

#include "api/generated/apiextensions_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apiextensions {

// All but the form of the name.
field::ErrorList ValidateCustomResourceDefinition(apiextensions_v1::CustomResourceDefinitionView definition);
field::ErrorList ValidateCustomResourceDefinitionUpdate(apiextensions_v1::CustomResourceDefinitionView now,
                                                        apiextensions_v1::CustomResourceDefinitionView was);
field::ErrorList ValidateCustomResourceDefinitionStatusUpdate(
    apiextensions_v1::CustomResourceDefinitionView now);

}  // namespace keelson::api::apiextensions

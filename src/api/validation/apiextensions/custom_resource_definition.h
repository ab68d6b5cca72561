// Rules of apiextensions.k8s.io/v1.
#pragma once

#include "api/generated/apiextensions_v1.h"
#include "api/validation/apiextensions/schema_rules.h"
#include "api/validation/field.h"

namespace keelson::api::apiextensions {

// Metadata and all. `rules`: null where defaults and expressions in schemas are not looked into.
field::ErrorList ValidateCustomResourceDefinition(apiextensions_v1::CustomResourceDefinitionView definition,
                                                  const SchemaRules* rules);
// All but the metadata.
field::ErrorList ValidateCustomResourceDefinitionUpdate(apiextensions_v1::CustomResourceDefinitionView now,
                                                        apiextensions_v1::CustomResourceDefinitionView was,
                                                        const SchemaRules* rules);
field::ErrorList ValidateCustomResourceDefinitionStatusUpdate(
    apiextensions_v1::CustomResourceDefinitionView now);

}  // namespace keelson::api::apiextensions

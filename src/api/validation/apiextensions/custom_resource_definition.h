// Rules of apiextensions.k8s.io/v1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

// A definition in a group of the community's domains, *.k8s.io and *.kubernetes.io, needs the community's
// approval, or admits that it has none, in an annotation.
bool IsProtectedGroup(std::string_view group);
enum class Approval : uint8_t { kMissing, kBypassed, kApproved, kInvalid };
// Reads the annotation api-approved.kubernetes.io, whatever the group of the definition is.
// DescribeApproval gives the text that errors and the condition KubernetesAPIApprovalPolicyConformant have.
Approval ApprovalOf(apiextensions_v1::CustomResourceDefinitionView definition);
std::string DescribeApproval(apiextensions_v1::CustomResourceDefinitionView definition);

}  // namespace keelson::api::apiextensions

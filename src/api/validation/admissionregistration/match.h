// What webhooks and policies are called for.
#pragma once

#include <span>

#include "api/generated/admissionregistration_v1.h"
#include "api/validation/expressions.h"
#include "api/validation/field.h"

namespace keelson::api::admissionregistration {

constexpr std::string_view kFailurePolicies[] = {"Fail", "Ignore"};
constexpr std::string_view kMatchPolicies[] = {"Equivalent", "Exact"};
constexpr std::string_view kReinvocationPolicies[] = {"IfNeeded", "Never"};

// Each adds what is wrong to `errors`.
void CheckRule(admissionregistration_v1::RuleWithOperationsView rule, const field::Path& path,
               field::ErrorList& errors);
// An absent one is not checked.
void CheckMatchResources(admissionregistration_v1::MatchResourcesView match, const field::Path& path,
                         field::ErrorList& errors);
// `has_params`: the expressions may use the variable of that name.
void CheckMatchConditions(ListView<admissionregistration_v1::MatchConditionView> conditions, bool has_params,
                          const ExpressionRules& rules, const field::Path& path, field::ErrorList& errors);

}  // namespace keelson::api::admissionregistration

// Rules of admission policies and their bindings.
#pragma once

#include "api/generated/admissionregistration_v1.h"
#include "api/validation/expressions.h"
#include "api/validation/field.h"

namespace keelson::api::admissionregistration {

field::ErrorList ValidatePolicy(admissionregistration_v1::ValidatingAdmissionPolicyView policy,
                                const ExpressionRules& rules);
field::ErrorList ValidatePolicy(admissionregistration_v1::MutatingAdmissionPolicyView policy,
                                const ExpressionRules& rules);
// Match conditions that did not change are not looked at again.
field::ErrorList ValidatePolicyUpdate(admissionregistration_v1::ValidatingAdmissionPolicyView now,
                                      admissionregistration_v1::ValidatingAdmissionPolicyView was,
                                      const ExpressionRules& rules);
field::ErrorList ValidatePolicyUpdate(admissionregistration_v1::MutatingAdmissionPolicyView now,
                                      admissionregistration_v1::MutatingAdmissionPolicyView was,
                                      const ExpressionRules& rules);
field::ErrorList ValidatePolicyStatusUpdate(admissionregistration_v1::ValidatingAdmissionPolicyView now);
field::ErrorList ValidateBinding(admissionregistration_v1::ValidatingAdmissionPolicyBindingView binding);
field::ErrorList ValidateBinding(admissionregistration_v1::MutatingAdmissionPolicyBindingView binding);

}  // namespace keelson::api::admissionregistration

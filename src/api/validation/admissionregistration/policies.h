// Rules of admission policies and their bindings. Expressions must be there; what they say
// is not checked.
#pragma once

#include "api/generated/admissionregistration_v1.h"
#include "api/validation/field.h"

namespace keelson::api::admissionregistration {

field::ErrorList ValidatePolicy(admissionregistration_v1::ValidatingAdmissionPolicyView policy);
field::ErrorList ValidatePolicy(admissionregistration_v1::MutatingAdmissionPolicyView policy);
// Match conditions that did not change are not looked at again.
field::ErrorList ValidatePolicyUpdate(admissionregistration_v1::ValidatingAdmissionPolicyView now,
                                      admissionregistration_v1::ValidatingAdmissionPolicyView was);
field::ErrorList ValidatePolicyUpdate(admissionregistration_v1::MutatingAdmissionPolicyView now,
                                      admissionregistration_v1::MutatingAdmissionPolicyView was);
field::ErrorList ValidatePolicyStatusUpdate(admissionregistration_v1::ValidatingAdmissionPolicyView now);
field::ErrorList ValidateBinding(admissionregistration_v1::ValidatingAdmissionPolicyBindingView binding);
field::ErrorList ValidateBinding(admissionregistration_v1::MutatingAdmissionPolicyBindingView binding);

}  // namespace keelson::api::admissionregistration

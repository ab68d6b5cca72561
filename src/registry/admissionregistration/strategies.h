// The strategies of admissionregistration.k8s.io/v1, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::admissionregistration {

const Strategy& MutatingAdmissionPolicies();
const Strategy& MutatingAdmissionPolicyBindings();
const Strategy& MutatingWebhookConfigurations();
const Strategy& ValidatingAdmissionPolicies();
const Strategy& ValidatingAdmissionPolicyStatus();
const Strategy& ValidatingAdmissionPolicyBindings();
const Strategy& ValidatingWebhookConfigurations();

}  // namespace keelson::registry::admissionregistration

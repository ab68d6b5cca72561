#include "registry/admissionregistration/resources.h"

#include "registry/admissionregistration/parameter_check.h"
#include "registry/admissionregistration/strategies.h"

namespace keelson::registry::admissionregistration {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "mutatingadmissionpolicies",
       .strategy = MutatingAdmissionPolicies,
       .make_check = MakeMutatingPolicyCheck},
      {.plural = "mutatingadmissionpolicybindings",
       .strategy = MutatingAdmissionPolicyBindings,
       .make_check = MakeMutatingBindingCheck},
      {.plural = "mutatingwebhookconfigurations", .strategy = MutatingWebhookConfigurations},
      {.plural = "validatingadmissionpolicies",
       .strategy = ValidatingAdmissionPolicies,
       .subresources = {{"status", ValidatingAdmissionPolicyStatus}},
       .make_check = MakeValidatingPolicyCheck},
      {.plural = "validatingadmissionpolicybindings",
       .strategy = ValidatingAdmissionPolicyBindings,
       .make_check = MakeValidatingBindingCheck},
      {.plural = "validatingwebhookconfigurations", .strategy = ValidatingWebhookConfigurations},
      {.plural = "mutatingadmissionpolicies", .version = "v1beta1"},
      {.plural = "mutatingadmissionpolicybindings", .version = "v1beta1"},
      {.plural = "mutatingadmissionpolicies", .version = "v1alpha1"},
      {.plural = "mutatingadmissionpolicybindings", .version = "v1alpha1"},
  };
  return {"admissionregistration.k8s.io", rows};
}

}  // namespace keelson::registry::admissionregistration

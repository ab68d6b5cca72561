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
  };
  return {"admissionregistration.k8s.io", rows};
}

}  // namespace keelson::registry::admissionregistration

#include "registry/admissionregistration/resources.h"

#include "registry/admissionregistration/strategies.h"

namespace keelson::registry::admissionregistration {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "mutatingadmissionpolicies", .strategy = MutatingAdmissionPolicies},
      {.plural = "mutatingadmissionpolicybindings", .strategy = MutatingAdmissionPolicyBindings},
      {.plural = "mutatingwebhookconfigurations", .strategy = MutatingWebhookConfigurations},
      {.plural = "validatingadmissionpolicies",
       .strategy = ValidatingAdmissionPolicies,
       .subresources = {{"status", ValidatingAdmissionPolicyStatus}}},
      {.plural = "validatingadmissionpolicybindings", .strategy = ValidatingAdmissionPolicyBindings},
      {.plural = "validatingwebhookconfigurations", .strategy = ValidatingWebhookConfigurations},
  };
  return {"admissionregistration.k8s.io", rows};
}

}  // namespace keelson::registry::admissionregistration

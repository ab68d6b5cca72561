// ValidatingAdmissionPolicy: policies and their bindings, asked about every write.
#pragma once

#include <string>
#include <vector>

#include "admission/plugin.h"
#include "admission/policies/metrics.h"
#include "admission/policies/policy_set.h"
#include "admission/policies/validating_policy.h"
#include "auth/authorizer.h"
#include "client/client.h"

namespace keelson::admission {

class ValidatingAdmissionPolicy final : public Plugin {
 public:
  // `objects` outlives this, and so do `authorizer` and `metrics`, which may be null.
  ValidatingAdmissionPolicy(const client::Client& objects, auth::Authorizer* authorizer,
                            base::Metrics* metrics = nullptr)
      : objects_(objects), authorizer_(authorizer), metrics_(metrics, "validating") {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  using Policies =
      PolicySet<ValidatingPolicy, api::admissionregistration_v1::ValidatingAdmissionPolicyBindingView>;

  struct Denial {
    const ValidatingPolicy* policy;
    std::string binding;
    PolicyDecision decision;
  };
  struct Asked;  // about one request

  base::Task<Verdict> Ask(const Policies::Hook& hook, Asked& asked) const;
  // `version`: that the policy's rules are for.
  base::Task<Verdict> AskBinding(const ValidatingPolicy& policy, const api::ResourceDesc& version,
                                 const api::Doc& binding, Asked& asked) const;

  const client::Client& objects_;
  auth::Authorizer* const authorizer_;
  const PolicyMetrics metrics_;
  const Policies policies_{{"admissionregistration.k8s.io", "validatingadmissionpolicies"},
                           {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"}};
};

}  // namespace keelson::admission

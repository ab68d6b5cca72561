// MutatingAdmissionPolicy: policies that change what is written.
#pragma once

#include <string>
#include <vector>

#include "admission/plugin.h"
#include "admission/policies/metrics.h"
#include "admission/policies/mutating_policy.h"
#include "admission/policies/policy_set.h"
#include "auth/authorizer.h"
#include "client/client.h"

namespace keelson::admission {

class MutatingAdmissionPolicy final : public Plugin {
 public:
  // `objects` outlives this, and so do `authorizer` and `metrics`, which may be null.
  MutatingAdmissionPolicy(const client::Client& objects, auth::Authorizer* authorizer,
                          base::Metrics* metrics = nullptr)
      : objects_(objects), authorizer_(authorizer), metrics_(metrics, "mutating") {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  using Policies =
      PolicySet<MutatingPolicy, api::admissionregistration_v1::MutatingAdmissionPolicyBindingView>;
  struct Asked;  // about one request
  struct Invocation;

  // Fills asked.invocations.
  base::Task<void> Collect(const Policies::Hook& hook, Asked& asked) const;
  base::Task<Verdict> Invoke(Invocation& invocation, Asked& asked) const;

  const client::Client& objects_;
  auth::Authorizer* const authorizer_;
  const PolicyMetrics metrics_;
  const Policies policies_{{"admissionregistration.k8s.io", "mutatingadmissionpolicies"},
                           {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings"}};
};

}  // namespace keelson::admission

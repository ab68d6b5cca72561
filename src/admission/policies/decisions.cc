#include "admission/policies/decisions.h"

namespace keelson::admission {

cel::AuthorizationDecision Decisions::Check(const cel::AuthorizationCheck& check) const {
  for (const auto& [asked, decision] : known_)
    if (asked == check) return decision;
  wanted_ = check;
  throw Needed();
}

base::Task<void> Decisions::FindOut() {
  cel::AuthorizationCheck check = wanted_;
  cel::AuthorizationDecision decision;
  if (authorizer_) {
    auth::User account;
    const auth::User* user = user_;
    if (!check.service_account_name.empty()) {
      const std::string& ns = check.service_account_namespace;
      account.name = "system:serviceaccount:" + ns + ":" + check.service_account_name;
      account.groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns};
      user = &account;
    }
    const auth::Attributes attributes{.user = user,
                                      .verb = check.verb,
                                      .resource_request = check.resource_request,
                                      .group = check.group,
                                      .version = "*",
                                      .resource = check.resource,
                                      .subresource = check.subresource,
                                      .ns = check.ns,
                                      .name = check.name,
                                      .path = check.path};
    auth::Verdict verdict = co_await authorizer_->Authorize(attributes);
    decision.allowed = verdict.decision == auth::Decision::kAllow;
    decision.reason = std::move(verdict.reason);
  }
  known_.emplace_back(std::move(check), std::move(decision));
}

}  // namespace keelson::admission

#include "auth/signer_permission.h"

#include <string>

namespace keelson::auth {
namespace {

base::Task<bool> MayActForNamedSigner(Authorizer& authorizer, const User* user, std::string_view verb,
                                      std::string_view name) {
  const Attributes attributes{.user = user,
                              .verb = verb,
                              .resource_request = true,
                              .group = "certificates.k8s.io",
                              .version = "*",
                              .resource = "signers",
                              .name = name,
                              .wants_reason = false};
  const Verdict verdict = co_await authorizer.Authorize(attributes);
  co_return verdict.error.empty() && verdict.decision == Decision::kAllow;
}

}  // namespace

base::Task<bool> MayActForSigner(Authorizer* authorizer, const User* user, std::string_view verb,
                                 std::string_view signer) {
  if (!authorizer || !user) co_return false;
  if (co_await MayActForNamedSigner(*authorizer, user, verb, signer)) co_return true;
  const std::string all = std::string(signer.substr(0, signer.find('/'))) + "/*";
  co_return co_await MayActForNamedSigner(*authorizer, user, verb, all);
}

}  // namespace keelson::auth

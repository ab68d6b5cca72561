#include "admission/plugins/signer_permission.h"

#include <string>

namespace keelson::admission {
namespace {

base::Task<bool> MayActForNamedSigner(auth::Authorizer& authorizer, const auth::User* user,
                                      std::string_view verb, std::string_view name) {
  const auth::Attributes attributes{.user = user,
                                    .verb = verb,
                                    .resource_request = true,
                                    .group = "certificates.k8s.io",
                                    .version = "*",
                                    .resource = "signers",
                                    .name = name,
                                    .wants_reason = false};
  const auth::Verdict verdict = co_await authorizer.Authorize(attributes);
  co_return verdict.error.empty() && verdict.decision == auth::Decision::kAllow;
}

}  // namespace

base::Task<bool> MayActForSigner(auth::Authorizer* authorizer, const auth::User* user, std::string_view verb,
                                 std::string_view signer) {
  if (!authorizer || !user) co_return false;
  if (co_await MayActForNamedSigner(*authorizer, user, verb, signer)) co_return true;
  const std::string all = std::string(signer.substr(0, signer.find('/'))) + "/*";
  co_return co_await MayActForNamedSigner(*authorizer, user, verb, all);
}

}  // namespace keelson::admission

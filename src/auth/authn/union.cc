#include <utility>

#include "auth/authn/authenticators.h"

namespace keelson::auth {
namespace {

class UnionAuthenticator final : public Authenticator {
 public:
  UnionAuthenticator(std::vector<std::unique_ptr<Authenticator>> authenticators,
                     std::unique_ptr<Authenticator> last_resort)
      : authenticators_(std::move(authenticators)), last_resort_(std::move(last_resort)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& remarks) override {
    std::string errors;
    for (const auto& authenticator : authenticators_) {
      Outcome outcome = co_await authenticator->Authenticate(request, remarks);
      if (outcome && *outcome) co_return outcome;
      if (outcome) continue;
      if (!errors.empty()) errors += "; ";
      errors += outcome.error();
    }
    if (!errors.empty()) co_return base::Err(std::move(errors));
    if (!last_resort_) co_return UserPtr();
    co_return co_await last_resort_->Authenticate(request, remarks);
  }

 private:
  const std::vector<std::unique_ptr<Authenticator>> authenticators_;
  const std::unique_ptr<Authenticator> last_resort_;
};

}  // namespace

std::unique_ptr<Authenticator> Union(std::vector<std::unique_ptr<Authenticator>> authenticators,
                                     std::unique_ptr<Authenticator> last_resort) {
  return std::make_unique<UnionAuthenticator>(std::move(authenticators), std::move(last_resort));
}

void AddAuthenticatedGroup(User& user) {
  if (user.name == kAnonymousUser || user.InGroup(kAuthenticatedGroup) || user.InGroup(kUnauthenticatedGroup))
    return;
  user.groups.emplace_back(kAuthenticatedGroup);
}

}  // namespace keelson::auth

#include "auth/authn/authenticators.h"

namespace keelson::auth {
namespace {

class AnonymousAuthenticator final : public Authenticator {
 public:
  base::Task<Outcome> Authenticate(const net::http::Request&) override { co_return user_; }

 private:
  const UserPtr user_ = std::make_shared<const User>(
      User{.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}});
};

}  // namespace

std::unique_ptr<Authenticator> Anonymous() { return std::make_unique<AnonymousAuthenticator>(); }

}  // namespace keelson::auth

#include <algorithm>

#include "auth/authn/authenticators.h"
#include "net/http/message.h"
#include "net/http/url.h"

namespace keelson::auth {
namespace {

class AnonymousAuthenticator final : public Authenticator {
 public:
  explicit AnonymousAuthenticator(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& /*remarks*/) override {
    if (paths_.empty()) co_return user_;
    const auto path = net::http::PathUnescape(request.path);
    co_return path&& std::ranges::find(paths_, *path) != paths_.end() ? user_ : nullptr;
  }

 private:
  const std::vector<std::string> paths_;
  const UserPtr user_ = std::make_shared<const User>(
      User{.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}});
};

}  // namespace

std::unique_ptr<Authenticator> Anonymous(std::vector<std::string> paths) {
  return std::make_unique<AnonymousAuthenticator>(std::move(paths));
}

}  // namespace keelson::auth

#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

class MastersFirstAuthorizer final : public Authorizer {
 public:
  explicit MastersFirstAuthorizer(std::unique_ptr<Authorizer> next) : next_(std::move(next)) {}

  base::Task<Verdict> Authorize(const Attributes& a) override {
    if (a.user && a.user->InGroup(kMastersGroup)) return Allowed();
    return next_->Authorize(a);
  }
  std::optional<Verdict> AuthorizeNow(const Attributes& a) override {
    if (a.user && a.user->InGroup(kMastersGroup)) return Verdict{Decision::kAllow, {}};
    return next_->AuthorizeNow(a);
  }
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override {
    return next_->RulesFor(user, ns);
  }

 private:
  static base::Task<Verdict> Allowed() { co_return Verdict{Decision::kAllow, {}}; }

  const std::unique_ptr<Authorizer> next_;
};

}  // namespace

std::unique_ptr<Authorizer> MastersFirst(std::unique_ptr<Authorizer> next) {
  return std::make_unique<MastersFirstAuthorizer>(std::move(next));
}

}  // namespace keelson::auth

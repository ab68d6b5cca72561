#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

class FixedAuthorizer final : public Authorizer {
 public:
  FixedAuthorizer(Decision decision, std::string_view reason) : decision_(decision), reason_(reason) {}
  base::Task<Verdict> Authorize(const Attributes&) override {
    co_return Verdict{decision_, std::string(reason_)};
  }

 private:
  const Decision decision_;
  const std::string_view reason_;
};

}  // namespace

std::unique_ptr<Authorizer> AlwaysAllow() { return std::make_unique<FixedAuthorizer>(Decision::kAllow, ""); }
std::unique_ptr<Authorizer> AlwaysDeny() {
  return std::make_unique<FixedAuthorizer>(Decision::kNoOpinion, "Everything is forbidden.");
}

}  // namespace keelson::auth

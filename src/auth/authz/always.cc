#include "auth/authz/authorizers.h"

namespace keelson::auth {
namespace {

class FixedAuthorizer final : public Authorizer {
 public:
  FixedAuthorizer(Decision decision, std::string_view reason) : decision_(decision), reason_(reason) {}
  base::Task<Verdict> Authorize(const Attributes&) override {
    co_return Verdict{decision_, std::string(reason_)};
  }
  std::optional<Verdict> AuthorizeNow(const Attributes&) override {
    return Verdict{decision_, std::string(reason_)};
  }
  base::Task<Rules> RulesFor(const User&, std::string_view) override {
    co_return decision_ == Decision::kAllow ? EverythingAllowed() : Rules();
  }

 private:
  const Decision decision_;
  const std::string_view reason_;
};

}  // namespace

base::Task<Rules> Authorizer::RulesFor(const User&, std::string_view) {
  co_return Rules{.incomplete = true, .error = "the authorizer does not support user rule resolution"};
}

Rules EverythingAllowed() {
  return {.resources = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}},
          .non_resources = {{.verbs = {"*"}, .paths = {"*"}}}};
}

std::unique_ptr<Authorizer> AlwaysAllow() { return std::make_unique<FixedAuthorizer>(Decision::kAllow, ""); }
std::unique_ptr<Authorizer> AlwaysDeny() {
  return std::make_unique<FixedAuthorizer>(Decision::kNoOpinion, "Everything is forbidden.");
}

}  // namespace keelson::auth

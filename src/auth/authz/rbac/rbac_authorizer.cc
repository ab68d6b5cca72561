#include "auth/authz/rbac/rbac_authorizer.h"

namespace keelson::auth::rbac {

base::Task<void> RbacAuthorizer::CatchUp() {
  IndexSource* const source = source_.load(std::memory_order_acquire);
  if (source && !source->IsCurrent()) co_await source->CatchUp();
}

base::Task<Verdict> RbacAuthorizer::Authorize(const Attributes& attributes) {
  co_await CatchUp();
  co_return index_.Read()->Decide(attributes);
}

std::optional<Verdict> RbacAuthorizer::AuthorizeNow(const Attributes& attributes) {
  const IndexSource* const source = source_.load(std::memory_order_acquire);
  if (source && !source->IsCurrent()) return std::nullopt;
  return index_.Read()->Decide(attributes);
}

base::Task<Rules> RbacAuthorizer::RulesFor(const User& user, std::string_view ns) {
  co_await CatchUp();
  co_return index_.Read()->RulesFor(user, ns);
}

}  // namespace keelson::auth::rbac

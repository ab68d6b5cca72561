// RbacAuthorizer: roles and bindings decide.
#pragma once

#include <atomic>

#include "auth/authorizer.h"
#include "auth/authz/index_source.h"
#include "auth/authz/rbac/rule_index.h"

namespace keelson::auth::rbac {

class RbacAuthorizer final : public Authorizer {
 public:
  // What is put and published there is decided on. Until a source is used, nobody is allowed anything.
  RuleIndex& index() { return index_; }
  // `source` outlives every later call.
  void Use(IndexSource& source) { source_.store(&source, std::memory_order_release); }

  base::Task<Verdict> Authorize(const Attributes& attributes) override;
  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override;
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override;

 private:
  base::Task<void> CatchUp();

  RuleIndex index_;
  std::atomic<IndexSource*> source_{nullptr};
};

}  // namespace keelson::auth::rbac

// RuleInformers: roles and bindings for the RBAC authorizer.
#pragma once

#include "auth/authz/index_informers.h"
#include "auth/authz/rbac/rule_index.h"

namespace keelson::auth::rbac {

class RuleInformers final : public IndexInformers {
 public:
  // Borrows all three.
  RuleInformers(const client::Client& client, RuleIndex& index, base::Executor& loop);
};

}  // namespace keelson::auth::rbac

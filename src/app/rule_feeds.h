// RuleFeeds: roles and bindings for the RBAC authorizer.
#pragma once

#include "app/index_feeds.h"
#include "app/resources.h"
#include "auth/authz/rbac/rule_index.h"

namespace keelson::app {

class RuleFeeds final : public IndexFeeds {
 public:
  // Borrows all three.
  RuleFeeds(const Resources& resources, auth::rbac::RuleIndex& index, base::Executor& loop);
};

}  // namespace keelson::app

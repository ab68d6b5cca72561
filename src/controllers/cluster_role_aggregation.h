// ClusterRoleAggregation: a cluster role with an aggregationRule has the rules of the roles
// that it selects.
#pragma once

#include <string>

#include "client/collection.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class ClusterRoleAggregation final : public Controller {
 public:
  ClusterRoleAggregation(client::Collection& cluster_roles, base::Executor& loop);

  void Start() override;
  void Stop() override;

 private:
  base::Task<bool> AggregateAll();

  client::Collection& cluster_roles_;
  KeyedQueue queue_;  // of one key: every change may concern every role that aggregates
};

}  // namespace keelson::controllers

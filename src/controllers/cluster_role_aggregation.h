// ClusterRoleAggregation: a cluster role with an aggregationRule has the rules of the roles
// that it selects.
#pragma once

#include <string>

#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class ClusterRoleAggregation final : public Controller {
 public:
  ClusterRoleAggregation(const client::Client& client, base::Executor& loop);

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "ClusterRoleAggregator"); }

 private:
  base::Task<bool> AggregateAll();

  const client::Client& client_;
  client::Informer cluster_roles_;
  KeyedQueue queue_;  // of one key: every change may concern every role that aggregates
};

}  // namespace keelson::controllers

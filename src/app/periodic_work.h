// PeriodicWork: what the server does by itself every so often, from its making until the loop stops.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "app/consistency_checker.h"
#include "app/periodic.h"
#include "app/resources.h"
#include "base/executor.h"
#include "base/metrics.h"
#include "bootstrap/cluster.h"
#include "bootstrap/kubernetes_service.h"
#include "bootstrap/peer_address.h"
#include "bootstrap/server_identity.h"
#include "registry/core/service_network.h"

namespace keelson::app {

// Threads: made anywhere; works on `loop`, and compares caches on a thread of its own. Must outlive the
// loop's running. Borrows what it is given references to.
class PeriodicWork {
 public:
  struct Options {
    base::Executor& loop;
    bootstrap::Cluster& cluster;
    bootstrap::KubernetesService& kubernetes;
    bootstrap::ServerIdentity& identity;
    bootstrap::PeerAddress* peer_address;  // null: there is no other server
    registry::core::ServiceNetwork& services;
    base::Metrics& metrics;
    std::vector<Resources::Cached> caches;
    std::vector<Periodic::Job> reloads;               // one for each configuration file that is followed
    std::function<void()> forget_old_events;          // of watch caches
    std::vector<Periodic::Job> compactions;           // one for each store
    std::chrono::nanoseconds compaction_interval{0};  // 0: never
    // How large each store is; told by apiserver_storage_size_bytes, first at once.
    std::vector<std::function<base::Task<std::optional<int64_t>>()>> database_bytes;
    std::chrono::nanoseconds database_interval{0};  // 0: never
  };
  explicit PeriodicWork(Options options);

 private:
  ConsistencyChecker consistency_checker_;
  std::deque<Periodic> jobs_;
};

}  // namespace keelson::app

// PeerAddress: where other API servers on the same store reach this one, as a lease in the store says it.
#pragma once

#include "base/one_at_a_time.h"
#include "bootstrap/ensure.h"
#include "registry/core/server_leases.h"

namespace keelson::bootstrap {

// Threads: one loop; what is called while another call is under way waits for it. Borrows the leases.
class PeerAddress {
 public:
  PeerAddress(registry::core::ServerLeases& leases, registry::core::ServerLease own)
      : leases_(leases), own_(std::move(own)) {}

  // Says so for some seconds. Requires: the server is ready.
  base::Task<Done> Announce();
  // This server is about to stop. Announcements do nothing from now on.
  base::Task<Done> Withdraw();

 private:
  registry::core::ServerLeases& leases_;
  const registry::core::ServerLease own_;
  base::OneAtATime turns_;
  bool withdrawn_ = false;
};

}  // namespace keelson::bootstrap

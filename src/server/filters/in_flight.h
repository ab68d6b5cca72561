// A bound on the requests under way: over it the answer is 429, never a queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/metrics.h"
#include "server/incoming_request.h"

namespace keelson::server {

// Threads: any; two counters are all that is shared.
class InFlightFilter {
 public:
  // Limits of 0 mean none. The filter outlives every request.
  InFlightFilter(int64_t max_read_only, int64_t max_mutating, base::Metrics& metrics);

  // Takes a slot for the request, or gives the answer. Long-running requests and members
  // of system:masters always pass. Requires: incoming.user.
  std::optional<net::http::Response> Apply(IncomingRequest& incoming);
  // For who bounds requests otherwise: one that waits, for as long as the slot lives, and one that was turned
  // away.
  CountedSlot CountWaiting(const IncomingRequest& incoming);
  void CountDropped(const IncomingRequest& incoming) { PoolOf(incoming).dropped.Add(); }

 private:
  struct Pool {
    const int64_t limit;
    std::atomic<int64_t> used{0}, waiting{0};
    base::Counter& dropped;
  };
  Pool& PoolOf(const IncomingRequest& incoming);

  Pool read_only_, mutating_;
};

}  // namespace keelson::server

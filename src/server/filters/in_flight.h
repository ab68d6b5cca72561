// A bound on the requests under way: over it the answer is 429, never a queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/number_times.h"
#include "server/incoming_request.h"

namespace keelson::server {

// RecentPeak: the highest number of the last second.
//
// Threads: any. Seeing a number is one load, unless it is a new peak or the first of its second.
class RecentPeak {
 public:
  void See(int64_t number, base::Clock::SteadyTime now);
  // At least `number`, which is the one at this moment.
  int64_t Read(int64_t number, base::Clock::SteadyTime now) const;

 private:
  static uint64_t SecondOf(base::Clock::SteadyTime now);

  // Each is a second in the upper half and the peak of that second in the lower one.
  std::atomic<uint64_t> now_{0}, before_{0};
};

// Threads: any; what is shared are the counters and their peaks.
class InFlightFilter {
 public:
  // What metrics show numbers of requests as shares of: how many can execute and wait.
  struct Capacity {
    int64_t executing = 1, waiting = 1;
  };

  // Limits of 0 mean none. `capacity`: of both kinds together, where others bound requests; null: the limits
  // are. The filter outlives every request.
  InFlightFilter(int64_t max_read_only, int64_t max_mutating, base::Metrics& metrics,
                 const base::Clock& clock = base::Clock::Real(), std::function<Capacity()> capacity = {});

  // Takes a slot for the request from `now` on, or gives the answer. Long-running requests and members
  // of system:masters always pass. Requires: incoming.user.
  std::optional<net::http::Response> Apply(IncomingRequest& incoming, base::Clock::SteadyTime now);
  // For who bounds requests otherwise: one that waits, for as long as the slot lives, and one that was turned
  // away.
  TimedSlot CountWaiting(const IncomingRequest& incoming, base::Clock::SteadyTime now);
  void CountDropped(const IncomingRequest& incoming) { PoolOf(incoming).dropped.Add(); }

 private:
  // Requests of one kind in one phase.
  struct Phase {
    explicit Phase(base::Clock::SteadyTime now);
    base::SharedNumberTimes number;
    RecentPeak peak;
    base::HistogramReading shares;  // for how long; only the registry's lock holders touch it
  };
  struct Pool {
    const int64_t limit;
    Phase executing, waiting;
    base::Counter& dropped;
  };
  Pool& PoolOf(const IncomingRequest& incoming);
  void Report(base::Metrics& metrics, const char* kind, Pool& pool);

  const base::Clock& clock_;
  const std::function<Capacity()> capacity_;
  Pool read_only_, mutating_;
};

}  // namespace keelson::server

// LevelUsage: how much of a priority level was in use, and for how long: upstream's histograms with an
// observation for each nanosecond, of ratios to what the level had at the time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/number_times.h"
#include "server/flow_control/fair_queues.h"
#include "server/flow_control/seat_demand.h"

namespace keelson::server::flow_control {

// As counts of nanoseconds.
struct UsageReading {
  UsageReading();
  base::HistogramReading seats, executing, waiting, demand;
};

// Threads: one at a time.
class LevelUsage {
 public:
  using Time = base::Clock::SteadyTime;
  explicit LevelUsage(Time now);

  // After every change of the queues. `demand`: seats in use and waited for.
  void Note(const FairQueues& queues, int demand, Time now) {
    seats_.Set(queues.seats_in_use() + queues.seats_beside(), now);
    executing_.Set(queues.requests_executing() + static_cast<int64_t>(queues.away().size), now);
    waiting_.Set(queues.requests_waiting(), now);
    demand_.Set(demand, now);
  }
  // Ratios are to these from now on: the seats, and the requests that can wait. Requires: neither is 0.
  void SetLimits(int seats, int waiting, Time now);
  const UsageReading& Read(Time now);

 private:
  void Gather(Time now);

  base::NumberTimes seats_, executing_, waiting_, demand_;
  UsageReading reading_;
  double seat_limit_ = 1, waiting_limit_ = 1;
};

// ExemptUsage: the same of the exempt level, where nobody waits, and whose requests take no lock.
//
// Threads: Take and Leave any; the others one at a time.
class ExemptUsage {
 public:
  using Time = base::Clock::SteadyTime;
  explicit ExemptUsage(Time now);

  void TakeSeats(int seats, Time now);
  void LeaveSeats(int seats, Time now) { seats_.Add(-seats, now); }
  void BeginRequest(Time now) { requests_.Add(1, now); }
  void EndRequest(Time now) { requests_.Add(-1, now); }
  int64_t seats() const { return seats_.number(); }

  void SetLimit(int seats, Time now);
  const UsageReading& Read(Time now);
  // The demand for seats since the last call.
  SeatDemandResults TakeDemand(Time now);

 private:
  void Gather(Time now);

  base::SharedNumberTimes seats_, requests_;
  std::atomic<int64_t> highest_{0};  // seats, of this period
  UsageReading reading_;
  double seat_limit_ = 1;
  Time gathered_;
  double seconds_ = 0, sum_ = 0, sum_of_squares_ = 0;  // of this period
};

}  // namespace keelson::server::flow_control

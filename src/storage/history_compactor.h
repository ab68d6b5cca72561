// HistoryCompactor: forgets history once it is old enough. It has no timer: whoever opened
// the backend calls Tick every half minute or so.
//
// Threads: one Tick at a time.
#pragma once

#include <chrono>
#include <deque>

#include "base/clock.h"
#include "base/task.h"
#include "storage/backend.h"

namespace keelson::storage {

class HistoryCompactor {
 public:
  // Upstream's default: a client has this long to come back to where it was.
  static constexpr std::chrono::minutes kRetention{5};

  // Both must outlive the compactor.
  HistoryCompactor(Backend& backend, const base::Clock& clock,
                   std::chrono::nanoseconds retention = kRetention)
      : backend_(backend), clock_(clock), retention_(retention) {}

  // Compacts to the newest revision known to be older than the retention, if any; an
  // error leaves it to the next Tick. Returns what the backend is compacted to.
  base::Task<Result<Revision>> Tick();

 private:
  struct Mark {
    base::Clock::SteadyTime time;
    Revision revision;
  };
  Backend& backend_;
  const base::Clock& clock_;
  const std::chrono::nanoseconds retention_;
  std::deque<Mark> marks_;  // what was current when; oldest first, revisions increase
};

}  // namespace keelson::storage

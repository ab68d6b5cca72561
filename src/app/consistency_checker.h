// ConsistencyChecker: compares every cache with the store from time to time, on a thread of its own. A
// difference is a bug of ours or damage on the disk: it is logged as an error and counted, and the cache is
// loaded again.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "app/resources.h"
#include "base/metrics.h"
#include "base/mutex.h"

namespace keelson::app {

// Threads: made and destroyed by one. What it is given must outlive it.
class ConsistencyChecker {
 public:
  // First after `interval`.
  ConsistencyChecker(std::vector<Resources::Cached> caches, base::Metrics& metrics,
                     std::chrono::nanoseconds interval);
  ~ConsistencyChecker();  // waits for a comparison that is under way
  ConsistencyChecker(const ConsistencyChecker&) = delete;
  ConsistencyChecker& operator=(const ConsistencyChecker&) = delete;

 private:
  void Run();
  void Check(const Resources::Cached& cached);
  // Lets the interval pass. False: it is to stop.
  bool Rest();
  // Whether it is to stop, now or within `time`.
  bool Stopping(std::chrono::nanoseconds time = {});

  const std::vector<Resources::Cached> caches_;
  base::Metrics& metrics_;
  const std::chrono::nanoseconds interval_;
  base::Mutex mu_;
  base::CondVar stop_;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace keelson::app

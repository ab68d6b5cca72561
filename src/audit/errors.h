// Errors: events that are lost are counted, by the part that lost them, and told of in the log.
//
// Threads: any.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/mutex.h"

namespace keelson::audit {

class Errors {
 public:
  Errors(base::Metrics& metrics, std::string_view plugin);

  // `events` were lost. A line tells of it at once, but a second must pass between two: what is lost in
  // between is told with the next.
  void Lost(size_t events, std::string_view why) EXCLUDES(mu_);

 private:
  base::Counter& counter_;
  const std::string plugin_;
  base::Mutex mu_;
  std::chrono::steady_clock::time_point told_at_ GUARDED_BY(mu_);
  size_t untold_ GUARDED_BY(mu_) = 0;
};

}  // namespace keelson::audit

// Periodic: something done on a loop again and again, one run after the other.
#pragma once

#include <chrono>
#include <functional>

#include "base/executor.h"
#include "base/task.h"

namespace keelson::app {

// Threads: made anywhere; runs on `loop`. It must outlive the loop's running: a loop that
// has stopped runs nothing more, so there is nothing to cancel.
class Periodic {
 public:
  using Job = std::function<base::Task<void>()>;

  // First after `interval`, then `interval` after each run's end.
  Periodic(base::Executor& loop, std::chrono::nanoseconds interval, Job job)
      : loop_(loop), interval_(interval), job_(std::move(job)) {
    Schedule();
  }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  void Schedule() {
    loop_.PostAfter(interval_, [this] { base::Spawn(RunOnce()); });
  }
  base::Task<void> RunOnce() {
    co_await job_();
    Schedule();
  }

  base::Executor& loop_;
  const std::chrono::nanoseconds interval_;
  const Job job_;
};

}  // namespace keelson::app

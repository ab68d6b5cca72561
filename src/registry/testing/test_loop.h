// TestLoop: an executor that runs on the test's own thread, with time that moves when the
// test says so.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/task.h"

namespace keelson::registry {

class TestLoop final : public base::Executor {
 public:
  explicit TestLoop(base::FakeClock& clock) : clock_(clock) { SetCurrent(this); }
  ~TestLoop() override { SetCurrent(nullptr); }

  void Post(Work work) override {
    base::MutexLock lock(mu_);
    queue_.push_back(std::move(work));
    ready_.NotifyOne();
  }
  void PostAfter(std::chrono::nanoseconds delay, Work work) override {
    base::MutexLock lock(mu_);
    timers_.emplace_back(clock_.SteadyNow() + delay, std::move(work));
  }

  // Runs `task`, and what others post meanwhile, until it is done.
  template <class T>
  T Run(base::Task<T> task) {
    std::optional<T> result;
    auto drive = [](base::Task<T> t, std::optional<T>& out) -> base::Task<void> {
      out.emplace(co_await std::move(t));
    };
    base::Spawn(drive(std::move(task), result));
    while (!result) RunOne();
    return *std::move(result);
  }

  // Runs posted work until `done` holds.
  template <class Condition>
  void RunUntil(Condition done) {
    while (!done()) RunOne();
  }

  // Moves the clock and runs the timers that are due.
  void Advance(std::chrono::nanoseconds by) {
    clock_.Advance(by);
    std::vector<Work> due;
    {
      base::MutexLock lock(mu_);
      std::erase_if(timers_, [&](auto& timer) {
        if (timer.first > clock_.SteadyNow()) return false;
        due.push_back(std::move(timer.second));
        return true;
      });
    }
    for (Work& work : due) work();
  }

 private:
  void RunOne() {
    Work work;
    {
      base::MutexLock lock(mu_);
      while (queue_.empty()) ready_.Wait(mu_);
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }

  base::FakeClock& clock_;
  base::Mutex mu_;
  base::CondVar ready_;
  std::deque<Work> queue_ GUARDED_BY(mu_);
  std::vector<std::pair<base::Clock::SteadyTime, Work>> timers_ GUARDED_BY(mu_);
};

}  // namespace keelson::registry

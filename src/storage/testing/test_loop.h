// TestLoop: an executor for tests of what belongs to one.
#pragma once

#include <chrono>
#include <deque>
#include <future>
#include <thread>
#include <utility>

#include "base/executor.h"
#include "base/mutex.h"

namespace keelson::storage {

// One thread that runs what is posted, and counts it.
class TestLoop final : public base::Executor {
 public:
  TestLoop() : thread_([this] { Run(); }) {}
  ~TestLoop() override {
    {
      base::MutexLock lock(mu_);
      stop_ = true;
    }
    cv_.NotifyOne();
    thread_.join();
  }
  void Post(Work work) override {
    base::MutexLock lock(mu_);
    ++posts_;
    queue_.push_back(std::move(work));
    cv_.NotifyOne();  // under the lock: the work may let the test end, and the loop with it
  }
  // No test waits for a timer to go off.
  void PostAfter(std::chrono::nanoseconds, Work) override {}

  int posts() const {
    base::MutexLock lock(mu_);
    return posts_;
  }
  // Runs `f` on the loop and waits for it.
  template <class F>
  void Do(F f) {
    std::promise<void> done;
    Post([&] {
      f();
      done.set_value();
    });
    done.get_future().get();
  }

 private:
  void Run() {
    SetCurrent(this);
    base::MutexLock lock(mu_);
    for (;;) {
      while (!stop_ && queue_.empty()) cv_.Wait(mu_);
      if (queue_.empty()) return;
      Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.Unlock();
      work();
      lock.Lock();
    }
  }
  mutable base::Mutex mu_;
  base::CondVar cv_;
  std::deque<Work> queue_ GUARDED_BY(mu_);
  bool stop_ GUARDED_BY(mu_) = false;
  int posts_ GUARDED_BY(mu_) = 0;
  std::thread thread_;
};

}  // namespace keelson::storage

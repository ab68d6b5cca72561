// What the tests of the Cacher stand on: a store in memory, a clock and a loop.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include "base/mutex.h"
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/interface_suite.h"

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
    {
      base::MutexLock lock(mu_);
      ++posts_;
      queue_.push_back(std::move(work));
    }
    cv_.NotifyOne();
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

class ManualClock final : public base::Clock {
 public:
  WallTime Now() const override { return WallTime(std::chrono::seconds(seconds_.load())); }
  SteadyTime SteadyNow() const override { return SteadyTime(std::chrono::seconds(seconds_.load())); }
  void Advance(std::chrono::seconds by) { seconds_ += by.count(); }

 private:
  std::atomic<int64_t> seconds_{1'700'000'000};
};

class CacherTest : public testing::Test {
 protected:
  Cacher& Start(CacherOptions options = {}) {
    options.clock = &clock_;
    auto started = Cacher::Start(ResourceNamed("pods"), *backend_, std::move(options));
    EXPECT_TRUE(started) << started.error().detail;
    cacher_ = std::move(*started);
    return *cacher_;
  }
  // As many changes of one pod as a small log cannot hold.
  void Churn(Cacher& cacher, int times = 500) {
    for (int i = 0; i < times; ++i)
      MustUpdate(cacher, {.name = "churn", .image = std::to_string(i), .padding = 200});
  }
  static CacherOptions SmallLog() { return {.log = {.max_bytes = 50'000}}; }

  ManualClock clock_;
  std::unique_ptr<Backend> backend_ = OpenMemoryBackend({.clock = &clock_});
  std::unique_ptr<Cacher> cacher_;
};

}  // namespace keelson::storage

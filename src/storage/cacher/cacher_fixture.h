// What the tests of the Cacher stand on: a store in memory, a clock and a loop.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include "base/metrics.h"
#include "base/mutex.h"
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/interface_suite.h"
#include "storage/testing/test_loop.h"

namespace keelson::storage {

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
  base::Metrics metrics_;
  std::unique_ptr<Backend> backend_ = OpenMemoryBackend({.clock = &clock_});
  std::unique_ptr<Cacher> cacher_;
};

}  // namespace keelson::storage

// Clock: the time as an argument, so that tests decide what time it is.
#pragma once

#include <atomic>
#include <chrono>

namespace keelson::base {

class Clock {
 public:
  using WallTime = std::chrono::system_clock::time_point;
  using SteadyTime = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
  virtual SteadyTime SteadyNow() const = 0;

  static const Clock& Real();
};

// Stands still until it is told to move. Any thread may read or move it.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime(std::chrono::seconds(1'700'000'000)))
      : since_epoch_(start.time_since_epoch().count()) {}
  WallTime Now() const override { return WallTime(WallTime::duration(since_epoch_.load())); }
  SteadyTime SteadyNow() const override { return SteadyTime(Now().time_since_epoch()); }
  void Advance(std::chrono::nanoseconds by) {
    since_epoch_ += std::chrono::duration_cast<WallTime::duration>(by).count();
  }

 private:
  std::atomic<WallTime::duration::rep> since_epoch_;
};

}  // namespace keelson::base

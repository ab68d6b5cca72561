// Clock: the time as an argument, so that tests decide what time it is.
#pragma once

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

// Stands still until it is told to move.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime(std::chrono::seconds(1'700'000'000))) : wall_(start) {}
  WallTime Now() const override { return wall_; }
  SteadyTime SteadyNow() const override { return SteadyTime(wall_.time_since_epoch()); }
  void Advance(std::chrono::nanoseconds by) {
    wall_ += std::chrono::duration_cast<WallTime::duration>(by);
  }

 private:
  WallTime wall_;
};

}  // namespace keelson::base

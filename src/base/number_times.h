// For how long a number was what: what a histogram of its values, one each nanosecond, is made of.
//
// A change costs an addition to the slot of the number that was. The slots are looked at when somebody wants
// to know: see Take.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace keelson::base {

// Numbers from this on share a slot, and are told by their mean.
inline constexpr int64_t kTimedNumbers = 512;

// Threads: one at a time. Time does not go backwards.
class NumberTimes {
 public:
  using Time = Clock::SteadyTime;
  explicit NumberTimes(Time now) : since_(now) {}

  // Requires: it is not negative.
  void Set(int64_t number, Time now) {
    if (number == number_) return;
    Pass(now);
    number_ = number;
  }

  // Calls tell(number, nanoseconds) for each number that was there since the last call.
  template <class Tell>
  void Take(Time now, Tell tell) {
    Pass(now);
    for (size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i] != 0) tell(static_cast<double>(i), std::exchange(slots_[i], 0));
    if (many_ == 0) return;
    const auto passed = static_cast<double>(many_);
    tell(std::exchange(many_products_, 0) / passed, std::exchange(many_, 0));
  }

 private:
  void Pass(Time now) {
    const auto passed = static_cast<uint64_t>((now - std::exchange(since_, now)).count());
    if (number_ < kTimedNumbers) {
      slots_[static_cast<size_t>(number_)] += passed;
    } else {
      many_ += passed;
      many_products_ += static_cast<double>(number_) * static_cast<double>(passed);
    }
  }

  Time since_;
  int64_t number_ = 0;
  std::array<uint64_t, kTimedNumbers> slots_{};
  uint64_t many_ = 0;
  double many_products_ = 0;
};

// SharedNumberTimes: the same of a number that threads add to side by side, without a lock. Times are of
// 32 ns. A time of more than nine hours without a change or a Take counts short.
//
// Threads: any; Take one at a time.
class SharedNumberTimes {
 public:
  using Time = Clock::SteadyTime;
  explicit SharedNumberTimes(Time now) : state_(TicksOf(now) << kNumberBits) {}

  // Gives the number after it, which is never negative.
  int64_t Add(int64_t n, Time now) {
    const uint64_t ticks = TicksOf(now);
    uint64_t before = state_.load(std::memory_order_relaxed), after = 0, passed = 0;
    do {
      passed = (ticks - (before >> kNumberBits)) & kTickMask;
      // Another's change is newer.
      if (passed > kTickMask / 2) passed = 0;
      after = ((before >> kNumberBits) + passed) << kNumberBits |
              ((before + static_cast<uint64_t>(n)) & kNumberMask);
    } while (!state_.compare_exchange_weak(before, after, std::memory_order_relaxed));
    if (passed != 0) Pass(static_cast<int64_t>(before & kNumberMask), passed * kNanosPerTick);
    return static_cast<int64_t>(after & kNumberMask);
  }
  int64_t number() const {
    return static_cast<int64_t>(state_.load(std::memory_order_relaxed) & kNumberMask);
  }

  // Calls tell(number, nanoseconds) for each number since the last call, as NumberTimes::Take does.
  template <class Tell>
  void Take(Time now, Tell tell) {
    Add(0, now);
    for (size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].load(std::memory_order_relaxed) != 0)
        tell(static_cast<double>(i), slots_[i].exchange(0, std::memory_order_relaxed));
    const uint64_t many = many_.exchange(0, std::memory_order_relaxed);
    const double products = many_products_.exchange(0, std::memory_order_relaxed);
    if (many != 0) tell(products / static_cast<double>(many), many);
  }

 private:
  static constexpr int kNumberBits = 24;
  static constexpr uint64_t kNumberMask = (uint64_t{1} << kNumberBits) - 1;
  static constexpr uint64_t kTickMask = ~uint64_t{0} >> kNumberBits;
  static constexpr uint64_t kNanosPerTick = 32;

  static uint64_t TicksOf(Time now) {
    return (static_cast<uint64_t>(now.time_since_epoch().count()) / kNanosPerTick) & kTickMask;
  }
  void Pass(int64_t number, uint64_t nanos) {
    if (number < kTimedNumbers) {
      slots_[static_cast<size_t>(number)].fetch_add(nanos, std::memory_order_relaxed);
    } else {
      many_.fetch_add(nanos, std::memory_order_relaxed);
      many_products_.fetch_add(static_cast<double>(number) * static_cast<double>(nanos),
                               std::memory_order_relaxed);
    }
  }

  std::atomic<uint64_t> state_;  // the number, and above it the time since which it is that
  std::array<std::atomic<uint64_t>, kTimedNumbers> slots_{};
  std::atomic<uint64_t> many_{0};
  std::atomic<double> many_products_{0};
};

}  // namespace keelson::base

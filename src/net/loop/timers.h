// Timers of one loop: a heap ordered by due time, with cancellation in O(log n).
//
// Threads: one thread uses a Timers and its Timer objects.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace keelson::net {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::nanoseconds;

class Timers;

// Calls back once, some time after Start. Destroying it cancels it.
class Timer {
 public:
  // Requires: `timers` outlives the timer.
  Timer(Timers& timers, std::function<void()> callback) : timers_(timers), callback_(std::move(callback)) {}
  ~Timer() { Cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Due `delay` from now; replaces an earlier Start.
  void Start(Duration delay);
  void Cancel();
  bool armed() const { return slot_ != kIdle; }

 private:
  friend class Timers;
  static constexpr size_t kIdle = static_cast<size_t>(-1);

  Timers& timers_;
  std::function<void()> callback_;
  TimePoint due_;
  size_t slot_ = kIdle;  // where in the heap
};

class Timers {
 public:
  Timers() : now_(std::chrono::steady_clock::now()) {}

  // The time at the start of this turn of the loop: good enough for every timeout here,
  // and free.
  TimePoint now() const { return now_; }

  // Moves the time on and calls what is due. A callback may start and cancel any timer.
  void Advance(TimePoint now);
  void SetNow(TimePoint now) { now_ = now; }

  std::optional<TimePoint> NextDue() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front()->due_;
  }

 private:
  friend class Timer;
  void Insert(Timer* timer);
  void Erase(Timer* timer);
  void Place(size_t slot, Timer* timer);
  void SiftUp(size_t slot);
  void SiftDown(size_t slot);

  TimePoint now_;
  std::vector<Timer*> heap_;
};

}  // namespace keelson::net

// Breaker: spares requests the wait for a webhook that keeps timing out.
//
// It opens when several calls in a row have timed out. While it is open nobody is asked, but for one request
// at a time after a pause that doubles from try to try: that one is the probe, and any answer to it, or a
// failure that did not take all the time, closes the breaker.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"

namespace keelson::admission {

// Threads: any.
class Breaker {
 public:
  static constexpr int kTimeouts = 5;  // in a row
  static constexpr std::chrono::seconds kFirstPause{1}, kLongestPause{30};

  // Told when it has opened, and when it has closed again, in the thread that caused it.
  using Changed = std::function<void(bool open)>;

  // `open` shows whether it is; borrowed, null: nobody looks.
  explicit Breaker(const base::Clock& clock, base::Gauge* open = nullptr, Changed changed = nullptr)
      : clock_(clock), open_gauge_(open), changed_(std::move(changed)) {}
  ~Breaker();
  Breaker(const Breaker&) = delete;
  Breaker& operator=(const Breaker&) = delete;

  // Whether the webhook may be asked. Who asks it tells how that went, by one of the two below; where nobody
  // does, the next probe may be made after the longest pause.
  bool MayAsk();
  void Answered();
  void TimedOut();
  // Whether that is how the last call went.
  bool LastTimedOut() const;

 private:
  const base::Clock& clock_;
  base::Gauge* const open_gauge_;
  const Changed changed_;
  mutable base::Mutex mu_;
  int timeouts_ GUARDED_BY(mu_) = 0;  // in a row
  bool open_ GUARDED_BY(mu_) = false;
  bool probing_ GUARDED_BY(mu_) = false;
  std::chrono::nanoseconds pause_ GUARDED_BY(mu_) = kFirstPause;
  base::Clock::SteadyTime next_probe_ GUARDED_BY(mu_);
};

}  // namespace keelson::admission

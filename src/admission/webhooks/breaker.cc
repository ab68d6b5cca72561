#include "admission/webhooks/breaker.h"

#include <algorithm>

namespace keelson::admission {

Breaker::~Breaker() {
  const base::MutexLock lock(mu_);
  if (open_ && open_gauge_) open_gauge_->Set(0);
}

bool Breaker::MayAsk() {
  const base::MutexLock lock(mu_);
  if (!open_) return true;
  const auto now = clock_.SteadyNow();
  if (now < next_probe_) return false;
  next_probe_ = now + kLongestPause;  // should nobody tell how this probe went
  probing_ = true;
  return true;
}

void Breaker::Answered() {
  bool was_open;
  {
    const base::MutexLock lock(mu_);
    was_open = open_;
    if (open_ && open_gauge_) open_gauge_->Set(0);
    timeouts_ = 0;
    open_ = probing_ = false;
    pause_ = kFirstPause;
  }
  if (was_open && changed_) changed_(false);
}

bool Breaker::LastTimedOut() const {
  const base::MutexLock lock(mu_);
  return timeouts_ > 0;
}

void Breaker::TimedOut() {
  {
    const base::MutexLock lock(mu_);
    if (++timeouts_ < kTimeouts) return;
    // Others that were asked before it opened say nothing of the pause.
    if (open_ && !probing_) return;
    const bool was_open = open_;
    if (was_open) pause_ = std::min<std::chrono::nanoseconds>(pause_ * 2, kLongestPause);
    open_ = true;
    probing_ = false;
    next_probe_ = clock_.SteadyNow() + pause_;
    if (was_open) return;
    if (open_gauge_) open_gauge_->Set(1);
  }
  if (changed_) changed_(true);
}

}  // namespace keelson::admission

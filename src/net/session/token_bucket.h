// TokenBucket: so many at once, so many per second after that.
#pragma once

#include <algorithm>
#include <chrono>

#include "net/loop/timers.h"

namespace keelson::net {

class TokenBucket {
 public:
  TokenBucket(double burst, double per_second, TimePoint now)
      : burst_(burst), per_second_(per_second), tokens_(burst), updated_(now) {}

  // False: none left.
  bool Take(TimePoint now) {
    const std::chrono::duration<double> passed = now - updated_;
    updated_ = now;
    tokens_ = std::min(burst_, tokens_ + passed.count() * per_second_);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  const double burst_;
  const double per_second_;
  double tokens_;
  TimePoint updated_;
};

}  // namespace keelson::net

// SeatDemand: how many seats a priority level could use, over time.
//
// The demand is a step function: seats in use and waited for. Over a period it has an average, a standard
// deviation and a highest value. What borrowing goes by is smoothed: it jumps up to average + deviation, and
// falls towards it slowly, half of the way in five minutes at a period of ten seconds.
//
// Example: 4 seats for 6 s, then none for 4 s. The average is 2.4, the mean square 9.6, the deviation
// sqrt(9.6 - 2.4 * 2.4) = 1.96, their sum 4.36. With nothing in the next 10 s smoothed falls to 0.977 * 4.36
// = 4.26.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"

namespace keelson::server::flow_control {

// Over one period.
struct SeatDemandResults {
  double seconds = 0;  // 0: nothing else is known but the highest value
  double average = 0;
  double deviation = 0;
  double high_watermark = 0;
};

// Threads: one at a time.
class SeatDemand {
 public:
  using Time = base::Clock::SteadyTime;

  explicit SeatDemand(Time now) : since_(now) {}

  void Set(double seats, Time now) {
    Integrate(now);
    seats_ = seats;
    highest_ = std::max(highest_, seats);
  }

  // The results of the period that ends now; a new one begins.
  SeatDemandResults Take(Time now) {
    Integrate(now);
    SeatDemandResults results{.seconds = seconds_, .high_watermark = highest_};
    if (seconds_ > 0) {
      results.average = sum_ / seconds_;
      // Rounding can make it a little negative.
      results.deviation =
          std::sqrt(std::max(0.0, sum_of_squares_ / seconds_ - results.average * results.average));
    }
    seconds_ = sum_ = sum_of_squares_ = 0;
    highest_ = seats_;
    return results;
  }

 private:
  void Integrate(Time now) {
    const double seconds = std::chrono::duration<double>(now - since_).count();
    since_ = now;
    seconds_ += seconds;
    sum_ += seats_ * seconds;
    sum_of_squares_ += seats_ * seats_ * seconds;
  }

  Time since_;
  double seats_ = 0, highest_ = 0;
  double seconds_ = 0, sum_ = 0, sum_of_squares_ = 0;
};

// SeatDemandStats: the demand that borrowing between priority levels is decided by.
struct SeatDemandStats {
  double average = 0, deviation = 0, smoothed = 0;
  int high_watermark = 0;

  void Update(const SeatDemandResults& period) {
    constexpr double kSmoothing = 0.977;
    high_watermark = static_cast<int>(std::round(period.high_watermark));
    if (period.seconds <= 0) return;
    average = period.average;
    deviation = period.deviation;
    const double envelope = average + deviation;
    smoothed = std::max(envelope, kSmoothing * smoothed + (1 - kSmoothing) * envelope);
  }
};

}  // namespace keelson::server::flow_control

#include "server/flow_control/level_usage.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace keelson::server::flow_control {
namespace {

constexpr double kSeatBounds[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};
constexpr double kRequestBounds[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
constexpr double kDemandBounds[] = {0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6};

}  // namespace

UsageReading::UsageReading()
    : seats(kSeatBounds), executing(kRequestBounds), waiting(kRequestBounds), demand(kDemandBounds) {}

LevelUsage::LevelUsage(Time now) : seats_(now), executing_(now), waiting_(now), demand_(now) {}

void LevelUsage::Gather(Time now) {
  const auto take = [now](base::NumberTimes& times, double limit, base::HistogramReading& into) {
    times.Take(now, [&](double number, uint64_t nanos) { into.Add(number / limit, nanos); });
  };
  take(seats_, seat_limit_, reading_.seats);
  take(executing_, seat_limit_, reading_.executing);
  take(waiting_, waiting_limit_, reading_.waiting);
  take(demand_, seat_limit_, reading_.demand);
}

void LevelUsage::SetLimits(int seats, int waiting, Time now) {
  Gather(now);
  seat_limit_ = seats;
  waiting_limit_ = waiting;
}

const UsageReading& LevelUsage::Read(Time now) {
  Gather(now);
  return reading_;
}

ExemptUsage::ExemptUsage(Time now) : seats_(now), requests_(now), gathered_(now) {}

void ExemptUsage::TakeSeats(int seats, Time now) {
  const int64_t taken = seats_.Add(seats, now);
  int64_t highest = highest_.load();
  while (highest < taken && !highest_.compare_exchange_weak(highest, taken)) {
  }
}

void ExemptUsage::Gather(Time now) {
  seats_.Take(now, [&](double number, uint64_t nanos) {
    reading_.seats.Add(number / seat_limit_, nanos);
    reading_.demand.Add(number / seat_limit_, nanos);
    const double seconds = static_cast<double>(nanos) / 1e9;
    seconds_ += seconds;
    sum_ += number * seconds;
    sum_of_squares_ += number * number * seconds;
  });
  requests_.Take(now,
                 [&](double number, uint64_t nanos) { reading_.executing.Add(number / seat_limit_, nanos); });
  reading_.waiting.Add(0, static_cast<uint64_t>((now - std::exchange(gathered_, now)).count()));
}

void ExemptUsage::SetLimit(int seats, Time now) {
  Gather(now);
  seat_limit_ = seats;
}

const UsageReading& ExemptUsage::Read(Time now) {
  Gather(now);
  return reading_;
}

SeatDemandResults ExemptUsage::TakeDemand(Time now) {
  Gather(now);
  SeatDemandResults results{.seconds = std::exchange(seconds_, 0),
                            .high_watermark = static_cast<double>(highest_.exchange(seats()))};
  const double sum = std::exchange(sum_, 0), squares = std::exchange(sum_of_squares_, 0);
  if (results.seconds <= 0) return results;
  results.average = sum / results.seconds;
  // Rounding can make it a little negative.
  results.deviation = std::sqrt(std::max(0.0, squares / results.seconds - results.average * results.average));
  return results;
}

}  // namespace keelson::server::flow_control

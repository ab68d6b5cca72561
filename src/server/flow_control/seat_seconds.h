// SeatSeconds: an amount of work, one seat for one second, in fixed point: a unit is 1e-8 of it.
//
// Sums wrap around as unsigned numbers do. Readings of one meter are compared by their difference.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

namespace keelson::server::flow_control {

using SeatSeconds = uint64_t;

inline constexpr double kSeatSecond = 1e8;

// A negative duration gives what must be added to take the work away.
inline SeatSeconds SeatsTimes(double seats, std::chrono::nanoseconds duration) {
  return static_cast<SeatSeconds>(
      static_cast<int64_t>(std::round(seats * static_cast<double>(duration.count()) / (1e9 / kSeatSecond))));
}

// How long that many seats have to do with it.
inline std::chrono::nanoseconds DurationPerSeat(SeatSeconds work, double seats) {
  return std::chrono::nanoseconds(
      static_cast<int64_t>(static_cast<double>(work) / seats * (1e9 / kSeatSecond)));
}

inline double ToDouble(SeatSeconds work) { return static_cast<double>(work) / kSeatSecond; }

// As "12.34567890ss".
inline std::string ToString(SeatSeconds work) {
  constexpr auto kUnits = static_cast<SeatSeconds>(kSeatSecond);
  std::string fraction = std::to_string(work % kUnits);
  fraction.insert(0, 8 - fraction.size(), '0');
  return std::to_string(work / kUnits) + "." + fraction + "ss";
}

}  // namespace keelson::server::flow_control

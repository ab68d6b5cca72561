// The buckets of how long a filter takes: a millisecond, doubled fourteen times.
#pragma once

#include <array>

namespace keelson::server {

inline constexpr auto kFilterDurationBounds = [] {
  std::array<double, 15> bounds{};
  double bound = 0.001;
  for (double& b : bounds) {
    b = bound;
    bound *= 2;
  }
  return bounds;
}();

}  // namespace keelson::server

// DurationMetric: how long one plug-in, or a whole step of admission, takes, under upstream's names.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "admission/attributes.h"
#include "base/metrics.h"

namespace keelson::admission {

// One series for each operation and verdict, made when first needed: after that an observation is a load and
// two additions. Threads: any.
class DurationMetric {
 public:
  // Measures the plug-in `name`, or the whole step where that is empty. `type`: "admit" or "validate".
  // Borrows `metrics`; null: nothing is measured.
  DurationMetric(base::Metrics* metrics, std::string_view name, std::string_view type);

  bool measures() const { return metrics_ != nullptr; }
  // Requires: measures().
  void Observe(Operation operation, bool rejected, std::chrono::nanoseconds took) const;

 private:
  static constexpr size_t kOperations = 4;
  base::Histogram& Make(Operation operation, bool rejected) const;

  base::Metrics* const metrics_;
  const std::string name_, type_;
  mutable std::array<std::atomic<base::Histogram*>, kOperations * 2> series_{};
};

}  // namespace keelson::admission

// ConversionMetrics: what is counted of the webhook that converts one custom resource, under upstream's
// names.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/metrics.h"

namespace keelson::extensions {

// ConversionResult: how the call of a conversion webhook ended.
enum class ConversionResult : uint8_t {
  kSuccess,
  kCallFailure,       // no answer came
  kMalformed,         // what came is no answer to the review
  kPartial,           // it has not as many objects as were asked about
  kInvalidConverted,  // it has an object that cannot be taken
};

// Threads: any.
class ConversionMetrics {
 public:
  // `definition`: the name of the CustomResourceDefinition. Borrows `metrics`; null: nothing is counted.
  ConversionMetrics(base::Metrics* metrics, std::string_view definition)
      : metrics_(metrics), definition_(definition) {}

  // One review.
  void Asked(ConversionResult result, std::chrono::nanoseconds took) const;
  // One object or list that was wanted in another version, and the versions.
  void Converted(std::string_view from, std::string_view to, bool succeeded,
                 std::chrono::nanoseconds took) const;
  // 1 while the webhook is not asked; null: nobody looks.
  base::Gauge* BreakerOpen() const;

 private:
  base::Metrics* const metrics_;
  const std::string definition_;
};

}  // namespace keelson::extensions

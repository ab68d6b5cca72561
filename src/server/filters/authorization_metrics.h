// How often requests may and may not, and how long it takes to find out; by upstream's names.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "auth/authorizer.h"
#include "base/metrics.h"

namespace keelson::server {

class AuthorizationMetrics {
 public:
  explicit AuthorizationMetrics(base::Metrics& metrics);

  void Finished(const auth::Verdict& verdict, std::chrono::nanoseconds took) const;

 private:
  enum Result : uint8_t { kAllowed, kDenied, kNoOpinion, kError, kResults };

  std::array<base::Counter*, kResults> attempts_;
  std::array<base::Histogram*, kResults> durations_;
};

}  // namespace keelson::server

// PolicyMetrics: what is counted of the policies of one plug-in, under upstream's names.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/metrics.h"

namespace keelson::admission {

// Threads: any.
class PolicyMetrics {
 public:
  // `kind`: "validating" or "mutating". Borrows `metrics`; null: nothing is counted.
  PolicyMetrics(base::Metrics* metrics, std::string_view kind);

  // An expression of a policy was evaluated for a binding. `failure`: what it says, empty if it has nothing
  // to say; `action`: what came of it ("deny"), empty where policies have no actions.
  void Checked(std::string_view policy, std::string_view binding, std::string_view failure,
               std::string_view action, std::chrono::nanoseconds took) const;

 private:
  base::Metrics* const metrics_;
  const std::string prefix_;
};

}  // namespace keelson::admission

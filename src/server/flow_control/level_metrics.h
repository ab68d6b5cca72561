// LevelMetrics: the seats of a priority level, what it could use, and how far its queues have come, by
// upstream's names.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/intrusive_ptr.h"
#include "base/metrics.h"
#include "server/flow_control/priority_level.h"
#include "server/flow_control/seat_demand.h"

namespace keelson::server::flow_control {

// Threads: one at a time sets; the registry reads. Series that are read from the level go with this.
class LevelMetrics {
 public:
  LevelMetrics(base::Metrics& metrics, base::IntrusivePtr<PriorityLevel> level);
  ~LevelMetrics();
  LevelMetrics(const LevelMetrics&) = delete;
  LevelMetrics& operator=(const LevelMetrics&) = delete;

  void SetConfigured(int nominal, int least, int most);
  void SetTarget(double seats);
  void SetAdjusted(const SeatDemandStats& demand, int limit);

 private:
  struct Values {
    std::atomic<double> average{0}, deviation{0}, smoothed{0}, target{0};
  };

  base::Metrics& metrics_;
  const std::string level_;
  const std::shared_ptr<Values> values_ = std::make_shared<Values>();
  base::Gauge &nominal_, &least_, &most_, &current_, &high_watermark_;
};

}  // namespace keelson::server::flow_control

// The metrics of flow control, by upstream's names: FlowMetrics of one flow schema in one priority level,
// LevelMetrics of a priority level.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace keelson::server::flow_control {

// A series exists from its first use on, as upstream's do.
//
// Threads: any. Owned for as long as the server runs. The first use of a series takes the registry's lock.
class FlowMetrics {
 public:
  FlowMetrics(base::Metrics& metrics, std::string level, std::string schema)
      : metrics_(metrics), level_(std::move(level)), schema_(std::move(schema)) {}

  enum CounterOf : uint8_t {
    kDispatched,
    kQueueFull,
    kTimeOut,
    kConcurrencyLimit,
    kNoAccommodation,
    kCounters
  };
  enum GaugeOf : uint8_t {
    kInqueueRequests,
    kInqueueSeats,
    kExecutingRequests,
    kExecutingSeats,
    kAwayRequests,
    kGauges
  };
  enum HistogramOf : uint8_t {
    kQueueLength,
    kWaitExecuted,
    kWaitRejected,
    kExecution,
    kWatchExecution,
    kWatchCount,
    kEstimatedSeats,
    kHistograms
  };

  void Count(CounterOf which) { Find(counters_, which).Add(); }
  void Add(GaugeOf which, int64_t n) { Find(gauges_, which).Add(n); }
  void Observe(HistogramOf which, double value) { Find(histograms_, which).Observe(value); }

 private:
  template <class Metric, size_t n>
  Metric& Find(std::array<std::atomic<Metric*>, n>& metrics, size_t which) {
    if (Metric* const found = metrics[which].load(std::memory_order_acquire)) return *found;
    Metric* const made = &Make(static_cast<Metric*>(nullptr), which);
    metrics[which].store(made, std::memory_order_release);
    return *made;
  }
  base::Counter& Make(base::Counter*, size_t which);
  base::Gauge& Make(base::Gauge*, size_t which);
  base::Histogram& Make(base::Histogram*, size_t which);
  base::Labels LabelsWith(std::string_view name, std::string_view value) const;

  base::Metrics& metrics_;
  const std::string level_, schema_;
  std::array<std::atomic<base::Counter*>, kCounters> counters_{};
  std::array<std::atomic<base::Gauge*>, kGauges> gauges_{};
  std::array<std::atomic<base::Histogram*>, kHistograms> histograms_{};
};

}  // namespace keelson::server::flow_control

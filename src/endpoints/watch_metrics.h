// WatchMetrics: what watches are sent, by upstream's names.
//
// Threads: any. Each thread has a table of its own, so that a watch that begins asks the shared registry only
// for a resource that is new to the thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "api/types/resource_desc.h"
#include "base/metrics.h"

namespace keelson::endpoints {

class WatchMetrics {
 public:
  // Borrows `metrics`, which outlives every watch.
  explicit WatchMetrics(base::Metrics& metrics);

  // What a watch is about.
  enum class Scope : uint8_t { kCluster, kNamespace, kResource };
  // Of one version of a resource.
  struct Series {
    base::Counter& events;
    base::Histogram& sizes;  // of events, in bytes
    const base::Labels labels;
    // How long it took to send the objects that a watch begins with, by scope; null: none did so far.
    std::array<base::Histogram*, 3> lists;
  };
  // Belongs to the calling thread, for good.
  Series& Of(const api::ResourceDesc& resource);
  void Listed(Series& series, Scope scope, std::chrono::nanoseconds took);

 private:
  base::Metrics& metrics_;
  const uint64_t id_;  // tells the tables of different instances apart
};

}  // namespace keelson::endpoints

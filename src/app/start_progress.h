// StartProgress: how far the start of the server has come, for those who ask meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

namespace keelson::app {

// In the order in which they are reached.
enum class StartStep : uint8_t {
  kNone,
  kStoreLoaded,   // every object is in its cache, and custom resources are known
  kClusterBegun,  // the objects that every cluster has are there
  kAggregation,   // the APIServices are known
  kControllers,   // controllers run
};

// Threads: any.
class StartProgress {
 public:
  void Reach(StartStep step) { step_.store(step, std::memory_order_release); }
  bool Has(StartStep step) const { return step_.load(std::memory_order_acquire) >= step; }

 private:
  std::atomic<StartStep> step_{StartStep::kNone};
};

}  // namespace keelson::app

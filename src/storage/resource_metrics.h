// ResourceMetrics: what is told of the store and the cache of one resource, by upstream's names. Upstream's
// store is etcd, and so are the names of what the store is asked for, whichever it is here.
//
// Threads: any. The registry must outlive it. The series go with it, unless there is another one of the same
// resource: a custom resource whose definition changes has two for a moment.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/metrics.h"

namespace keelson::storage {

class ResourceMetrics {
 public:
  ResourceMetrics(const api::ResourceDesc& resource, base::Metrics& metrics);

  enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kList };
  // The store was asked for something.
  void Asked(Operation operation, std::chrono::nanoseconds took, bool failed);
  // Everything was read from the store into the cache.
  void Loaded(size_t objects, int64_t revision);
  // Changes that the store told of, and those of them that watches are told of.
  void Received(size_t changes, size_t events, int64_t revision);
  // A list was answered from the cache. `index`: the position of the indexed field; -1: none.
  void Listed(int index, size_t fetched, size_t returned);
  // A read had to wait, or not, until the cache was as fresh as it has to be.
  void ReadFresh(std::chrono::nanoseconds took, bool success);
  // A watch was too slow.
  void EndedWatcher() { ended_watchers_.Add(); }

 private:
  static constexpr size_t kOperations = 4;
  // Made when first needed: most resources are never written.
  struct Request {
    std::once_flag made;
    base::Histogram* duration = nullptr;
    base::Counter *total = nullptr, *errors = nullptr;
  };
  struct Lists {
    base::Counter &total, &fetched;
  };
  base::Counter& Count(std::string_view name, std::string_view help);
  Lists ListsOf(std::string_view index);

  base::OwnedMetrics metrics_;
  const base::Labels labels_;
  base::Counter &loads_, &store_lists_, &store_fetched_, &store_evaluated_, &store_returned_, &store_events_;
  base::Counter &received_, &dispatched_, &list_returned_, &ended_watchers_;
  base::Gauge& revision_;
  base::Histogram& waits_;
  std::array<base::Counter*, 2> fresh_reads_;  // in vain, with success
  std::vector<Lists> lists_;                   // by index; the last is that of none
  std::array<Request, kOperations> requests_;
};

}  // namespace keelson::storage

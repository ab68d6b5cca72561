// ConsistencyCheck: compares what a cache has with what its backend has.
#pragma once

#include <cstddef>

#include "storage/backend.h"
#include "storage/cacher/watch_cache.h"

namespace keelson::storage {

// Threads: any. What it is given must outlive it.
class ConsistencyCheck {
 public:
  // `page`: how many keys are read at a time.
  ConsistencyCheck(const WatchCache& cache, Backend& backend, size_t page)
      : cache_(cache), backend_(backend), page_(page) {}

  // Compares keys and revisions as of one revision: the cache's. Blocks, so not from a loop. kCorrupt: they
  // differ, and where; other errors: the store could not be read. Keys whose stored bytes do not decode are
  // left out: the cache cannot have them.
  Result<void> Run() const;

 private:
  const WatchCache& cache_;
  Backend& backend_;
  const size_t page_;
};

}  // namespace keelson::storage

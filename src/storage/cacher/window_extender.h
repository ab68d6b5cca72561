// WindowExtender: makes the window of events reach back into the store's history, when a watch or a list
// comes from before it (docs/design/0063-watches-from-the-past.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/cacher/watch_cache.h"
#include "storage/worker.h"

namespace keelson::storage {

// Threads: any. The backend and the worker outlive it, and the worker is stopped before it goes: whoever
// waits is then told that the store cannot be asked.
class WindowExtender {
 public:
  WindowExtender(std::shared_ptr<WatchCache> cache, Backend& backend, Worker& worker)
      : cache_(std::move(cache)), backend_(backend), worker_(worker) {}

  // Makes the window begin at `revision` or before, if the store remembers and there is room. True: it does.
  // kUnreachable: the store cannot be asked now; it may remember.
  base::Task<Result<bool>> ReachBack(Revision revision);

 private:
  // Somebody who waits for the store's history.
  struct Waiting {
    Revision revision;
    base::Completion<Result<bool>> done;
  };
  void AnswerAll() EXCLUDES(mu_);  // the worker's job
  // An error: the store could not be asked.
  Result<void> Extend(Revision wanted) EXCLUDES(mu_);

  const std::shared_ptr<WatchCache> cache_;
  Backend& backend_;
  Worker& worker_;

  base::Mutex mu_;
  std::vector<Waiting> waiting_ GUARDED_BY(mu_);
  // Reaching back before this revision has failed, in the load of that number.
  Revision no_history_before_ GUARDED_BY(mu_) = 0;
  uint64_t failed_in_load_ GUARDED_BY(mu_) = 0;
};

}  // namespace keelson::storage

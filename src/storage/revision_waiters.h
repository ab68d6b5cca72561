// RevisionWaiters: coroutines that wait for a revision to come, for as long as upstream waits for one.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"
#include "storage/errors.h"

namespace keelson::storage {

class RevisionWaiters : public std::enable_shared_from_this<RevisionWaiters> {
 public:
  // `newest`: the newest revision that has come. It may be called from any thread until Close.
  static std::shared_ptr<RevisionWaiters> Create(std::function<Revision()> newest);

  // True: `revision` has come. False: it did not come in time, or this is closed. Without an executor there
  // is no timer to wait on, and the answer is what is so now.
  base::Task<bool> WaitUntil(Revision revision);
  // To be called whenever newest() has grown to `revision`.
  void Wake(Revision revision);
  // To be called before what `newest` refers to goes. Who waits is told false, by the timer.
  void Close();

 private:
  struct Waiter {
    uint64_t id;
    Revision revision;
    base::Completion<bool> done;
  };

  explicit RevisionWaiters(std::function<Revision()> newest) : newest_(std::move(newest)) {}
  void GiveUp(uint64_t id);

  base::Mutex mu_;
  std::function<Revision()> newest_ GUARDED_BY(mu_);
  std::vector<Waiter> waiters_ GUARDED_BY(mu_);
  uint64_t last_waiter_ GUARDED_BY(mu_) = 0;
};

}  // namespace keelson::storage

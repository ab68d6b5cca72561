#include "storage/revision_waiters.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/executor.h"

namespace keelson::storage {
namespace {

// As long as upstream waits for a resourceVersion that has not come yet.
constexpr std::chrono::seconds kFreshnessTimeout{3};

}  // namespace

std::shared_ptr<RevisionWaiters> RevisionWaiters::Create(std::function<Revision()> newest) {
  return std::shared_ptr<RevisionWaiters>(new RevisionWaiters(std::move(newest)));
}

base::Task<bool> RevisionWaiters::WaitUntil(Revision revision) {
  base::Completion<bool> done;
  uint64_t id = 0;
  Revision newest = 0;
  {
    base::MutexLock lock(mu_);
    id = ++last_waiter_;
    waiters_.push_back({id, revision, done});
    if (newest_) newest = newest_();
  }
  // What came before the waiter was there has not woken it.
  Wake(newest);
  // Without an executor there is no timer to wait on.
  if (base::Executor* here = base::Executor::Current()) {
    here->PostAfter(kFreshnessTimeout, [weak = weak_from_this(), id] {
      if (auto self = weak.lock()) self->GiveUp(id);
    });
  } else {
    GiveUp(id);
  }
  co_return co_await done;
}

void RevisionWaiters::GiveUp(uint64_t id) {
  std::vector<Waiter> late;
  bool reached = false;
  {
    base::MutexLock lock(mu_);
    auto it = std::ranges::find(waiters_, id, &Waiter::id);
    if (it == waiters_.end()) return;
    reached = newest_ && newest_() >= it->revision;
    late.push_back(std::move(*it));
    waiters_.erase(it);
  }
  late.front().done.Set(reached);
}

void RevisionWaiters::Wake(Revision revision) {
  std::vector<Waiter> ready;
  {
    base::MutexLock lock(mu_);
    if (waiters_.empty()) return;
    auto split = std::partition(waiters_.begin(), waiters_.end(),
                                [&](const Waiter& w) { return w.revision > revision; });
    ready.assign(std::make_move_iterator(split), std::make_move_iterator(waiters_.end()));
    waiters_.erase(split, waiters_.end());
  }
  for (const Waiter& w : ready) w.done.Set(true);
}

void RevisionWaiters::Close() {
  base::MutexLock lock(mu_);
  newest_ = nullptr;
}

}  // namespace keelson::storage

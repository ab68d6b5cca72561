// OneFlight: those who ask while an answer is on its way wait for that one.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"

namespace keelson::auth {

// Threads: any.
template <class T>
class OneFlight {
 public:
  // What `work()`, a task, gives; or what that of another caller gives, if it is under way.
  template <class Work>
  base::Task<T> Run(Work work) {
    const auto waiting = Board();
    if (waiting) co_return co_await *waiting;
    T result = co_await work();
    for (const auto& waiter : Land()) waiter.Set(result);
    co_return result;
  }

 private:
  std::optional<base::Completion<T>> Board() {
    const base::MutexLock lock(mu_);
    if (!std::exchange(flying_, true)) return std::nullopt;
    return waiters_.emplace_back();
  }
  std::vector<base::Completion<T>> Land() {
    const base::MutexLock lock(mu_);
    flying_ = false;
    return std::exchange(waiters_, {});
  }

  base::Mutex mu_;
  bool flying_ GUARDED_BY(mu_) = false;
  std::vector<base::Completion<T>> waiters_ GUARDED_BY(mu_);
};

}  // namespace keelson::auth

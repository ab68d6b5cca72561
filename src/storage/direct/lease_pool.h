// LeasePool: leases shared by objects that expire at about the same time, so that ten
// thousand events with a lifetime of an hour need some tens of leases.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task.h"
#include "storage/backend.h"

namespace keelson::storage {

// Threads: any.
class LeasePool {
 public:
  // `reuse`: for how long a lease is given out at most.
  LeasePool(Backend& backend, const base::Clock& clock, std::chrono::seconds reuse)
      : backend_(backend), clock_(clock), reuse_(reuse) {}

  // A lease that ends no sooner than `ttl` from now, and not much later.
  base::Task<Result<LeaseId>> Get(std::chrono::seconds ttl);
  // The store does not know `lease`: it is not given out again.
  void Forget(LeaseId lease);

 private:
  using Time = base::Clock::WallTime;
  LeaseId TakeShared(std::chrono::seconds ttl, std::chrono::seconds slack);

  Backend& backend_;
  const base::Clock& clock_;
  const std::chrono::seconds reuse_;
  base::Mutex mu_;
  LeaseId shared_ GUARDED_BY(mu_) = 0;
  Time expiry_ GUARDED_BY(mu_);
  int64_t objects_ GUARDED_BY(mu_) = 0;
};

}  // namespace keelson::storage

#include "storage/direct/lease_pool.h"

#include <algorithm>

namespace keelson::storage {
namespace {

// How much later than asked an object may go, at most: a part of its lifetime.
constexpr int64_t kSlackDivisor = 20;
// Keeps the burst of deletions at the end of a lease small.
constexpr int64_t kMaxObjects = 1000;

}  // namespace

base::Task<Result<LeaseId>> LeasePool::Get(std::chrono::seconds ttl) {
  const std::chrono::seconds slack = std::min(ttl / kSlackDivisor, reuse_);
  if (LeaseId shared = TakeShared(ttl, slack)) co_return shared;
  const Time expiry = clock_.Now() + ttl + slack;
  auto granted = co_await backend_.GrantLease(ttl + slack);
  if (granted) {
    base::MutexLock lock(mu_);
    shared_ = *granted;
    expiry_ = expiry;
    objects_ = 1;
  }
  co_return granted;
}

void LeasePool::Forget(LeaseId lease) {
  base::MutexLock lock(mu_);
  if (shared_ == lease) shared_ = 0;
}

// The lease at hand, if it fits and is not used up; else 0.
LeaseId LeasePool::TakeShared(std::chrono::seconds ttl, std::chrono::seconds slack) {
  const Time wanted = clock_.Now() + ttl;
  base::MutexLock lock(mu_);
  if (shared_ == 0 || wanted > expiry_ || wanted + slack < expiry_ || objects_ >= kMaxObjects) return 0;
  ++objects_;
  return shared_;
}

}  // namespace keelson::storage

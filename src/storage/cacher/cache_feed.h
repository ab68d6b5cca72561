// CacheFeed: keeps the WatchCache of one resource in step with the backend. It loads everything, follows the
// feed of changes from there, and takes the feed up again when it breaks
// (docs/design/0064-when-a-feed-breaks.md).
//
// To writes it is the CurrentObjects that they start from.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "storage/backend.h"
#include "storage/cacher/watch_cache.h"
#include "storage/direct/current_objects.h"
#include "storage/worker.h"

namespace keelson::storage {

struct CacheFeedOptions {
  EventLogOptions log;
  size_t load_page = 1000;
  std::chrono::milliseconds pause{100};  // between attempts to take the feed up
  const base::Clock* clock = &base::Clock::Real();
  ResourceMetrics* metrics = nullptr;  // null: nothing is counted
  // True: a start on a store that cannot be reached succeeds; nothing is served until it is loaded.
  bool store_may_be_away = false;
};

// Threads: any. The backend, the resource and the worker outlive it, and the worker is stopped before it
// goes.
class CacheFeed final : public CurrentObjects, private Observer {
 public:
  CacheFeed(const api::ResourceDesc& resource, std::shared_ptr<const ObjectFactory> factory, Backend& backend,
            Worker& worker, CacheFeedOptions options);
  ~CacheFeed() override;

  // Loads everything and follows the backend from there. Blocks. Called once.
  Result<void> Start();
  // Loads everything again, as if the feed had broken; returns before that is done. Watches are told to list
  // again.
  void Reload() { Break(Repair::kLoad); }

  // Watches share it, and may outlive the feed.
  const std::shared_ptr<WatchCache>& cache() const { return cache_; }
  // Whether a read can be answered from what is cached now: one that must see everything that was written
  // (`newest`), or one that takes any version there was.
  bool Serves(bool newest) const {
    if (lost_.load(std::memory_order_acquire)) return false;
    return !newest || (!backend_.shared() && attached_->load(std::memory_order_acquire));
  }

  // The feed is up: the cache has everything that was acknowledged.
  bool attached() const { return attached_->load(std::memory_order_acquire); }

  ObjectPtr Find(std::string_view key) const override { return cache_->Find(key); }
  bool Fresh() const override { return Serves(/*newest=*/true); }
  // kUnreachable: what was written is not known, or the cache is being loaded and does not come to it in
  // time.
  base::Task<Result<void>> Refresh() override;
  base::Task<Result<void>> WaitUntil(Revision revision) override;
  base::Task<Result<int64_t>> StoredBytes() override { co_return cache_->object_bytes(); }

 private:
  void OnChanges(std::span<const Change> changes, Revision revision) override {
    cache_->Apply(changes, revision);
  }
  void OnBroken(const Error& error) override;
  void OnHistoryLost(const Error& error) override;

  // What has to be done before the feed goes on. The larger includes the smaller.
  enum class Repair : uint8_t {
    kNone,
    kResume,  // subscribe again after what is known
    kLoad,    // load everything again
  };
  void Break(Repair repair) EXCLUDES(mu_);
  void ScheduleRepair() REQUIRES_LOCK(mu_);
  void RepairAll() EXCLUDES(mu_);  // the worker's job
  bool RepairOnce() EXCLUDES(mu_);

  Result<void> Attach();
  Result<void> Follow(Revision after);
  Result<Revision> Load();

  Backend& backend_;
  Worker& worker_;
  const CacheFeedOptions options_;
  const std::string prefix_;  // "/registry/pods"
  // The feed is up: what the backend calls current has been delivered. Changed under mu_. Shared with the
  // cache, which watches keep.
  const std::shared_ptr<std::atomic<bool>> attached_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> lost_{false};  // changed under mu_: what is cached may never have been
  const std::shared_ptr<WatchCache> cache_;
  // Those of whoever attaches: Start, then the worker.
  std::unique_ptr<Backend::Subscription> subscription_;
  uint64_t history_ = 0;  // Backend::History of what is loaded

  base::Mutex mu_;
  Repair repair_ GUARDED_BY(mu_) = Repair::kNone;
  Revision known_ GUARDED_BY(mu_) = 0;     // what was delivered when the feed broke, at least
  bool repairing_ GUARDED_BY(mu_) = true;  // Start is at work, or the worker has the job
};

}  // namespace keelson::storage

// Cacher: storage of one resource, served from memory. Reads, lists and watches never leave the WatchCache;
// writes are handed to the DirectStore below, which starts from the cached object. The backend feeds the
// cache with what was committed before it tells the writer. So a read sees every write that was acknowledged;
// where others write to the backend too, a read that must be fresh waits until the cache has theirs.
//
//   Cacher ─ reads ─▶ WatchCache ◀─ CacheFeed ◀─ Backend
//      └──── writes ─▶ DirectStore ─────────────────┘
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "storage/backend.h"
#include "storage/cacher/cache_feed.h"
#include "storage/cacher/scope.h"
#include "storage/cacher/watch_cache.h"
#include "storage/cacher/window_extender.h"
#include "storage/direct/direct_store.h"
#include "storage/interface.h"
#include "storage/request_plan.h"
#include "storage/resource_metrics.h"
#include "storage/worker.h"

namespace keelson::storage {

struct CacherOptions {
  std::string registry_prefix = "/registry";
  EventLogOptions log;
  size_t load_page = 1000;
  // Those of DirectStoreOptions.
  size_t max_object_bytes = 0;
  size_t quota_bytes = 0;
  std::chrono::seconds lease_reuse{60};
  std::chrono::milliseconds reload_pause{100};  // between attempts after the feed broke
  const base::Clock* clock = &base::Clock::Real();
  base::Metrics* metrics = nullptr;  // null: nothing is counted. Outlives the Cacher.
  bool store_may_be_away = false;    // CacheFeedOptions'
};

// Threads: any, but a watch belongs to the executor it was made on. The backend, the resource and every
// executor that watches must outlive it.
class Cacher final : public Interface {
 public:
  // Loads everything and follows the backend from there. Blocks: call it at start-up.
  static Result<std::unique_ptr<Cacher>> Start(const api::ResourceDesc& resource, Backend& backend,
                                               CacherOptions options = {});
  ~Cacher() override;

  base::Task<Result<ObjectPtr>> Create(std::string key, Draft draft, CreateOptions options) override {
    return store_.Create(std::move(key), std::move(draft), options);
  }
  base::Task<Result<ObjectPtr>> GuaranteedUpdate(std::string key, bool create_if_absent,
                                                 ChangeOptions options, UpdateFn update) override {
    return store_.GuaranteedUpdate(std::move(key), create_if_absent, std::move(options), std::move(update));
  }
  base::Task<Result<ObjectPtr>> Delete(std::string key, ChangeOptions options, DeleteCheckFn check) override {
    return store_.Delete(std::move(key), std::move(options), std::move(check));
  }
  base::Task<Result<ObjectPtr>> Get(std::string key, GetOptions options) override;
  base::Task<Result<ListResult>> List(ListOptions options) override;
  base::Task<Result<std::unique_ptr<WatchStream>>> Watch(WatchOptions options) override;
  bool Stale(const Object& object) const override { return store_.Stale(object); }
  int64_t Count() const override;
  Revision CurrentRevision() const override { return cache().Read().revision; }
  Revision NewestChange() const override { return cache().newest_change(); }
  bool Follows() const override { return feed_.attached(); }
  uint64_t Loads() const override { return cache().loads(); }

  struct Stats {
    int64_t objects = 0;
    int64_t object_bytes = 0;
    size_t window_bytes = 0;                 // of the events that watchers may resume from
    std::chrono::nanoseconds window_age{0};  // of the oldest of them
    int64_t watchers = 0;
    uint64_t expired_watchers = 0;  // so far
  };
  Stats ReadStats() const;
  // The most events that a watcher was behind since this was last asked.
  uint64_t TakeWorstLag() const {
    return cache().watcher_counts().worst_lag.exchange(0, std::memory_order_relaxed);
  }

  // ConsistencyCheck::Run of this cache and its backend.
  Result<void> CompareWithStore() const;
  // CacheFeed::Reload.
  void Reload() { feed_.Reload(); }
  // WatchCache::ForgetOld. Any thread.
  void ForgetOld() { cache().ForgetOld(); }
  // Ends every watch: what is stored is about to be served by another one, or not at all.
  void Close() { cache().Close(); }

 private:
  // One version of the objects to list from.
  struct ListSource {
    SnapshotMap map;
    Revision revision = 0;
  };

  Cacher(const api::ResourceDesc& resource, Backend& backend, const CacherOptions& options);

  WatchCache& cache() const { return *feed_.cache(); }
  // "pods", "deployments.apps".
  std::string GroupResource() const {
    return factory_->group().empty() ? factory_->resource() : factory_->resource() + "." + factory_->group();
  }
  // Until the cache is as fresh as a read of that version has to be.
  base::Task<Result<void>> WaitUntilFresh(bool newest, base::RequestNotes* notes);
  Result<ListSource> Source(const ListPlan& plan, const Scope& scope) const;

  Backend& backend_;
  const CacherOptions options_;
  const std::unique_ptr<ResourceMetrics> metrics_;  // null: nothing is counted
  const std::shared_ptr<const ObjectFactory> factory_;
  Worker worker_;  // of the feed and of who comes from the past
  CacheFeed feed_;
  WindowExtender past_;
  DirectStore store_;
};

}  // namespace keelson::storage

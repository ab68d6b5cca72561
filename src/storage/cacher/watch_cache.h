// WatchCache: the objects of one resource in memory, their recent events, and who waits for
// the next. It knows no backend: the CacheFeed feeds it. Which fields have an index and triggers of their own
// is the resource's description to say (ResourceDesc::indexed_fields).
//
// A change is made visible in one step: the new map and the log that ends with it are
// published together, so a reader that takes a snapshot knows exactly which event follows.
//
// Threads: one feeder at a time (loading, with as many threads as it likes, or Apply); any number of readers.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/published.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/cacher/event_log.h"
#include "storage/cacher/sleepers.h"
#include "storage/cacher/snapshot_map.h"
#include "storage/object_factory.h"
#include "storage/resource_metrics.h"
#include "storage/revision_waiters.h"

namespace keelson::storage {

using UnreadableKeys = std::map<std::string, Revision, std::less<>>;

// What readers see: immutable.
struct CacheState final : base::Publishable<CacheState> {
  Revision revision = 0;  // of the newest change, or of the load
  SnapshotMap objects;
  // By trigger field: the objects in order of that field, then of key.
  std::vector<SnapshotMap> indexes;
  EventLogView log;
  // Keys whose newest stored bytes do not decode, with their revision; null: there are none. Such a key is
  // served as it last was, or not at all.
  std::shared_ptr<const UnreadableKeys> unreadable;
};

// A state, and the revision up to which it is known to be complete.
struct CacheReading {
  base::Reading<CacheState> state;
  Revision revision = 0;
};

struct WatchCacheOptions {
  EventLogOptions log;
  // The revision up to which Apply has seen everything, as far as the feed knows; it can
  // be ahead of the last Apply, which is not called for what happens elsewhere.
  std::function<Revision()> delivered = [] { return Revision{0}; };
  const base::Clock* clock = &base::Clock::Real();
  ResourceMetrics* metrics = nullptr;  // null: nothing is counted
};

class WatchCache final : public Receiver {
 public:
  WatchCache(const api::ResourceDesc& resource, std::shared_ptr<const ObjectFactory> factory,
             WatchCacheOptions options = {});
  ~WatchCache() override { waiters_->Close(); }

  // Replaces everything: what is collected is seen from FinishLoad on, and watches of before then expire.
  // What does not decode is logged and left out.
  void StartOver() override;
  void Expect(size_t count) override { loading_.resize(count); }
  void Take(size_t position, const StoredView& stored) override;
  void FinishLoad(Revision revision);
  // How often everything was loaded. Any thread.
  uint64_t loads() const { return loads_.load(std::memory_order_acquire); }
  // Wakes every sleeping watch: one may wait for something else than an event.
  void WakeAll() { sleepers_.RingAll(); }
  // Changes in order of revision; all up to `revision` are then known. Tags are told of the objects.
  void Apply(std::span<const Change> changes, Revision revision);
  // Everything up to here is known.
  Revision complete() const { return std::max(complete_.load(std::memory_order_acquire), delivered_()); }
  // The revision of the newest state: of its newest change, or of the load.
  Revision newest_change() const { return newest_change_.load(std::memory_order_acquire); }
  // From now on until the next FinishLoad or Apply no revision counts as known. Any thread.
  void Detach() { complete_.store(0, std::memory_order_release); }

  // Makes the window begin at `floor` instead of `from`, with what happened in between. False: it does not
  // begin at `from` (any more), or has no room. Any thread.
  bool Prepend(std::span<const EventPtr> events, Revision floor, Revision from);
  // Lets events go that are older than the window's age: else a resource that nothing happens to keeps its
  // last ones for ever. Any thread.
  void ForgetOld();
  size_t window_limit() const { return log_.options().max_bytes; }
  // Of the bytes of all objects.
  int64_t object_bytes() const { return object_bytes_.load(std::memory_order_relaxed); }

  // The newest state. Never blocks, allocates nothing.
  CacheReading Read() const;
  // The object at `key` ("ns/name" or "name"); null when absent.
  ObjectPtr Find(std::string_view key) const;
  // Waits until everything up to `revision` is known. False: that took too long.
  base::Task<bool> WaitUntil(Revision revision);

  // What watchers tell of themselves; any thread.
  struct WatcherCounts {
    std::atomic<int64_t> watchers{0};
    std::atomic<uint64_t> expired{0};    // that were told to list again
    std::atomic<uint64_t> worst_lag{0};  // most events that one had before it since this was last reset
  };
  WatcherCounts& watcher_counts() { return watcher_counts_; }
  // A watcher was too slow. Any thread.
  void CountExpired() {
    watcher_counts_.expired.fetch_add(1, std::memory_order_relaxed);
    if (metrics_) metrics_->EndedWatcher();
  }

  // Watches end, without an error; nothing is watched any more. Any thread.
  void Close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  const ObjectFactory& factory() const { return *factory_; }
  Sleepers& sleepers() { return sleepers_; }
  std::span<const size_t> trigger_fields() const { return log_.trigger_fields(); }
  bool namespaced() const { return namespaced_; }

 private:
  EventPtr MakeEvent(const Change& change);
  void Index(const Object* previous, const ObjectPtr& object);
  void Publish(Revision revision);
  void PublishLog() REQUIRES_LOCK(log_mu_);
  void CountBytes(const Object* previous, const Object* object);
  void NoteReadable(std::string_view key);
  void NoteUnreadable(const Error& error);

  const std::shared_ptr<const ObjectFactory> factory_;
  const bool namespaced_;
  const size_t key_offset_;
  const base::Clock& clock_;
  const std::function<Revision()> delivered_;
  ResourceMetrics* const metrics_;

  // The feeder's own.
  std::vector<ObjectPtr> loading_;  // in order of key; null: not there yet, or not readable
  UnreadableKeys unreadable_;
  bool unreadable_changed_ = false;  // since it was published
  std::shared_ptr<const UnreadableKeys> published_unreadable_;
  base::Mutex loading_mu_;  // held by those that take at a time, for unreadable_
  SnapshotMapEditor objects_;
  std::vector<SnapshotMapEditor> indexes_;
  int64_t counted_bytes_ = 0;  // of objects_
  // The feeder's, and whoever prepends; held while the log or the state is replaced.
  base::Mutex log_mu_;
  EventLog log_;
  std::vector<SleeperGroup::Alarm> alarms_;

  base::Published<CacheState> state_;
  // Everything up to here is in state_. Stored after it, read before it.
  std::atomic<Revision> complete_{0};
  std::atomic<Revision> newest_change_{0};  // stored after state_
  std::atomic<int64_t> object_bytes_{0};
  std::atomic<uint64_t> loads_{0};
  std::atomic<bool> closed_{false};

  Sleepers sleepers_;
  WatcherCounts watcher_counts_;
  const std::shared_ptr<RevisionWaiters> waiters_ = RevisionWaiters::Create([this] { return complete(); });
};

}  // namespace keelson::storage

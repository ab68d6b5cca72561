// Cacher: storage of one resource, served from memory. Reads, lists and watches never leave
// the WatchCache; writes are transactions on the backend, which feeds the cache with what
// was committed before it tells the writer. So a read sees every write that was acknowledged;
// where others write to the backend too, a read that must be fresh waits until the cache has theirs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "storage/backend.h"
#include "storage/cacher/scope.h"
#include "storage/cacher/watch_cache.h"
#include "storage/interface.h"
#include "storage/store/object_writer.h"

namespace keelson::storage {

struct CacherOptions {
  std::string registry_prefix = "/registry";
  EventLogOptions log;
  // Fields by which lists are indexed and watchers woken, where the resource has them.
  std::vector<std::string_view> trigger_fields = {"spec.nodeName"};
  size_t load_page = 1000;
  // Larger objects are refused; 0: none are. What the protocol and the store allow still counts.
  size_t max_object_bytes = 0;
  // Once the objects take so many bytes, nothing more is added; 0: no limit.
  size_t quota_bytes = 0;
  std::chrono::milliseconds reload_pause{100};  // between attempts after the feed broke
  const base::Clock* clock = &base::Clock::Real();
};

// Threads: any, but a watcher belongs to the executor it was made on. The backend, the
// resource and every executor that watches must outlive it.
class Cacher final : public Interface, private Observer {
 public:
  // Loads everything and follows the backend from there. Blocks: call it at start-up.
  static Result<std::unique_ptr<Cacher>> Start(const api::ResourceDesc& resource, Backend& backend,
                                               CacherOptions options = {});
  ~Cacher() override;

  base::Task<Result<ObjectPtr>> Create(std::string key, base::Slice stored,
                                       std::optional<std::chrono::seconds> ttl) override;
  base::Task<Result<ObjectPtr>> Get(std::string key, GetOptions options) override;
  base::Task<Result<ListResult>> List(ListOptions options) override;
  base::Task<Result<ObjectPtr>> GuaranteedUpdate(std::string key, bool create_if_absent,
                                                 Preconditions preconditions, UpdateFn update) override;
  base::Task<Result<ObjectPtr>> Delete(std::string key, Preconditions preconditions,
                                       DeleteCheckFn check) override;
  base::Task<Result<std::unique_ptr<Watcher>>> Watch(WatchOptions options) override;
  bool Stale(const Object& object) const override {
    return object.stored_form() != backend_.FormOf(object.key());
  }
  int64_t Count() const override;
  Revision CurrentRevision() const override { return cache_->Read().revision; }
  Revision NewestChange() const override { return cache_->newest_change(); }

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
    return cache_->watcher_counts().worst_lag.exchange(0, std::memory_order_relaxed);
  }

  // Compares what is cached with what is stored, by key and revision, as of one revision. Blocks, so not
  // from a loop. kCorrupt: they differ, and where; other errors: the store could not be read.
  Result<void> CompareWithStore() const;
  // Loads everything again, as if the feed had broken; returns before that is done. Watches are told to list
  // again.
  void Reload();
  // Ends every watch: what is stored is about to be served by another one, or not at all.
  void Close() { cache_->Close(); }

 private:
  // One version of the objects to list from.
  struct ListSource {
    SnapshotMap map;
    Revision revision = 0;
  };
  struct ListPlan;

  Cacher(const api::ResourceDesc& resource, Backend& backend, CacherOptions options);

  void OnChanges(std::span<const Change> changes, Revision revision) override;
  void OnBroken(const Error& error) override;
  void OnHistoryLost(const Error& error) override;

  // What has to be done before the feed goes on. The larger includes the smaller.
  enum class Repair : uint8_t {
    kNone,
    kResume,  // subscribe again after what is known
    kLoad,    // load everything again
  };
  void Break(Repair repair);
  Result<void> Attach();
  Result<void> Follow(Revision after);
  Result<Revision> Load();

  // A watch or list from before the window, waiting for the store's history.
  struct Request {
    Revision revision;
    base::Completion<bool> done;
  };
  // Makes the window reach back to `revision`, if the store remembers and there is room. True: it does.
  base::Task<bool> ReachBack(Revision revision);
  void ExtendWindow(Revision wanted);
  void StartWorking() REQUIRES_LOCK(mu_);
  void Work() EXCLUDES(mu_);
  void RepairOnce() REQUIRES_LOCK(mu_);  // which it lets go meanwhile

  // Whether `stored` may take the place of `current`, which may be null.
  Result<void> CheckSize(std::string_view key, size_t stored, const Object* current) const;

  std::string FullKey(std::string_view key) const { return prefix_ + "/" + std::string(key); }
  base::Task<Result<void>> WaitUntil(Revision revision);
  // Whether a read can be answered from what is cached now: one that must see everything that was written
  // (`newest`), or one that takes any version there was.
  bool Serves(bool newest) const {
    if (lost_.load(std::memory_order_acquire)) return false;
    return !newest || (!backend_.shared() && attached_->load(std::memory_order_acquire));
  }
  // The cache has everything that anybody wrote before this call. kUnreachable: that is not known, or the
  // cache is being loaded and does not come to it in time.
  base::Task<Result<void>> Refresh();
  base::Task<Result<Update>> Judge(std::string_view key, bool create_if_absent,
                                   const Preconditions& preconditions, ObjectPtr current,
                                   const UpdateFn& update);
  Result<void> Check(const Preconditions& preconditions, const Object* object, std::string_view key) const;
  Result<ListPlan> PlanList(const ListOptions& options) const;
  Result<ListSource> Source(const ListPlan& plan) const;

  Backend& backend_;
  const CacherOptions options_;
  const std::string prefix_;  // "/registry/pods"
  // The feed is up: what the backend calls current has been delivered. Changed under mu_. Shared with the
  // cache, which watchers keep.
  const std::shared_ptr<std::atomic<bool>> attached_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> lost_{false};  // changed under mu_: what is cached may never have been
  const std::shared_ptr<WatchCache> cache_;
  ObjectWriter writer_;
  // Those of whoever attaches: Start, then the worker.
  std::unique_ptr<Backend::Subscription> subscription_;
  uint64_t history_ = 0;  // Backend::History of what is loaded

  // What blocks is done by a thread that lives while there is something to do: taking up the feed after it
  // broke, and reading history.
  base::Mutex mu_;
  base::CondVar work_wanted_;
  Repair repair_ GUARDED_BY(mu_) = Repair::kNone;
  Revision known_ GUARDED_BY(mu_) = 0;  // what was delivered when the feed broke, at least
  bool stopping_ GUARDED_BY(mu_) = false;
  bool working_ GUARDED_BY(mu_) = false;  // there is a thread, or Start does its work
  std::vector<Request> requests_ GUARDED_BY(mu_);
  Revision no_history_before_ GUARDED_BY(mu_) = 0;  // reaching back further has failed
  std::thread worker_;  // changed under mu_ until stopping_, then the destructor's
};

}  // namespace keelson::storage

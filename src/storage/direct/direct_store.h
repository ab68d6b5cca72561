// DirectStore: storage of one resource straight on a Backend, with no cache. It is upstream's "store" below
// the Cacher: guaranteed update, preconditions, limits of size, leases and the stored encoding are here,
// once.
//
// Alone it reads every object from the backend. Below a Cacher it is given the cache's CurrentObjects: a
// write then starts from the cached object, and what the cache makes of the committed bytes is the writer's
// answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/trace.h"
#include "storage/backend.h"
#include "storage/direct/current_objects.h"
#include "storage/direct/object_writer.h"
#include "storage/interface.h"
#include "storage/object_factory.h"
#include "storage/request_plan.h"
#include "storage/worker.h"

namespace keelson::storage {

struct DirectStoreOptions {
  // Larger objects are refused; 0: none are. What the protocol and the backend allow still counts.
  size_t max_object_bytes = 0;
  // Once the objects take so many bytes, nothing more is added; 0: no limit. Without a cache every write that
  // adds something then reads all objects to sum them up.
  size_t quota_bytes = 0;
  size_t page = 500;                     // objects that are read at a time
  std::chrono::seconds lease_reuse{60};  // for how long objects that expire share a lease, at most
  const base::Clock* clock = &base::Clock::Real();
  ResourceMetrics* metrics = nullptr;  // null: nothing is measured
};

// Reading what does not decode is an error (kCorrupt), of a list as a whole.
//
// Threads: any. Reads that may block are made by a Worker, except by a caller without an executor, which
// waits itself; Count always reads on the calling thread. The backend and `cache` must outlive it, and it
// must outlive its watches.
class DirectStore final : public Interface {
 public:
  // `cache`: what writes start from; null: from what the backend has.
  DirectStore(std::shared_ptr<const ObjectFactory> factory, Backend& backend, DirectStoreOptions options = {},
              CurrentObjects* cache = nullptr);

  base::Task<Result<ObjectPtr>> Create(std::string key, Draft draft, CreateOptions options) override;
  base::Task<Result<ObjectPtr>> Get(std::string key, GetOptions options) override;
  base::Task<Result<ListResult>> List(ListOptions options) override;
  base::Task<Result<ObjectPtr>> GuaranteedUpdate(std::string key, bool create_if_absent,
                                                 ChangeOptions options, UpdateFn update) override;
  base::Task<Result<ObjectPtr>> Delete(std::string key, ChangeOptions options, DeleteCheckFn check) override;
  base::Task<Result<std::unique_ptr<WatchStream>>> Watch(WatchOptions options) override;
  bool Stale(const Object& object) const override {
    return object.stored_seal() != backend_.SealOf(object.key());
  }
  int64_t Count() const override;
  Revision CurrentRevision() const override { return backend_.CurrentRevision(); }

 private:
  class BackendObjects;
  class WriteAttempts;

  // Tells what a write is about, where it is recorded.
  void Describe(std::string_view key, base::Trace* trace, base::ScopedSpan& span) const;
  std::string FullKey(std::string_view key) const { return factory_->prefix() + "/" + std::string(key); }
  Result<void> Check(const ChangeOptions& options, const Object* object, std::string_view key) const;
  // Whether `stored` bytes may take the place of `current`, which may be null.
  Result<void> CheckSize(std::string_view key, size_t stored) const;
  bool NeedsRoom(size_t stored, const Object* current) const {
    return options_.quota_bytes > 0 && stored > (current ? current->bytes().size() : 0);
  }
  base::Task<Result<void>> CheckRoom(CurrentObjects& objects, std::string key, size_t stored,
                                     ObjectPtr current) const;

  base::Task<Result<ObjectPtr>> CreateFrom(CurrentObjects& objects, std::string key, Draft draft,
                                           CreateOptions options);
  base::Task<Result<ObjectPtr>> UpdateFrom(CurrentObjects& objects, std::string key, bool create_if_absent,
                                           ChangeOptions options, UpdateFn update);
  base::Task<Result<ObjectPtr>> DeleteFrom(CurrentObjects& objects, std::string key, ChangeOptions options,
                                           DeleteCheckFn check);
  base::Task<Result<Update>> Judge(std::string_view key, bool create_if_absent, const ChangeOptions& options,
                                   ObjectPtr current, const UpdateFn& update);

  base::Task<Result<void>> WaitUntil(Revision revision);
  // These block. `notes`: as those of GetOptions.
  Result<ObjectPtr> ReadObject(const std::string& full_key, base::RequestNotes* notes);
  Result<ListResult> ReadList(const ListPlan& plan, const Selection& selection, base::RequestNotes* notes);
  Result<int64_t> ReadStoredBytes();
  Result<std::unique_ptr<WatchStream>> OpenWatch(const WatchPlan& plan, WatchOptions options,
                                                 base::Executor* executor);

  const std::shared_ptr<const ObjectFactory> factory_;
  Backend& backend_;
  const DirectStoreOptions options_;
  CurrentObjects* const cache_;
  ObjectWriter writer_;
  Worker worker_;  // last: its jobs use the others
};

}  // namespace keelson::storage

#include "storage/direct/object_writer.h"

#include <utility>

namespace keelson::storage {
namespace {

// Keeps the object that the cache made of the bytes; of a delete the last state, at the delete's revision.
class CachedObject final : public WriteTag {
 public:
  explicit CachedObject(base::Slice in_memory) : WriteTag(std::move(in_memory)) {}
  void OnObject(const Object& object) override { object_ = ObjectPtr(&object); }
  const ObjectPtr& object() const { return object_; }

 private:
  ObjectPtr object_;
};

}  // namespace

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Put(std::string key, Draft draft, ObjectPtr current,
                                                            std::optional<std::chrono::seconds> ttl,
                                                            base::Trace* trace, base::RequestNotes* notes) {
  const base::Slice value = factory_.ToStored(draft);
  const base::Slice in_memory =
      draft.settled && factory_.has_stored_encoding() ? draft.envelope : base::Slice();
  for (bool again = false;; again = true) {
    Write write{.type = Write::Type::kPut, .key = key, .value = value};
    if (ttl && ttl->count() > 0) write.lease = CO_TRY(co_await leases_.Get(*ttl));
    const LeaseId lease = write.lease;
    auto outcome = co_await Commit(std::move(write), in_memory, current, trace, notes);
    const bool lease_is_gone = lease != 0 && !outcome && outcome.error().code == Code::kNotFound;
    if (!lease_is_gone || again) co_return outcome;
    // Revoked, or granted by a store that is not there any more.
    leases_.Forget(lease);
  }
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Delete(std::string key, ObjectPtr current,
                                                               base::Trace* trace,
                                                               base::RequestNotes* notes) {
  Write write{.type = Write::Type::kDelete, .key = std::move(key)};
  co_return co_await Commit(std::move(write), {}, std::move(current), trace, notes);
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Commit(Write write, base::Slice in_memory,
                                                               ObjectPtr current, base::Trace* trace,
                                                               base::RequestNotes* notes) {
  auto tag = std::make_shared<CachedObject>(std::move(in_memory));
  std::string key = write.key;
  const bool remove = write.type == Write::Type::kDelete;
  const base::Slice stored = write.value;
  write.tag = tag;
  Txn txn;
  txn.wants_current_value = false;
  txn.trace = trace;
  txn.compares.push_back({.key = key, .mod_revision = current ? current->revision() : 0});
  txn.writes.push_back(std::move(write));
  const bool timed = metrics_ || notes;
  const auto start = timed ? clock_.SteadyNow() : base::Clock::SteadyTime();
  auto result = co_await backend_.Commit(std::move(txn));
  const std::chrono::nanoseconds took = timed ? clock_.SteadyNow() - start : std::chrono::nanoseconds(0);
  if (notes) notes->storage += took;
  if (metrics_) {
    using Operation = ResourceMetrics::Operation;
    metrics_->Asked(remove    ? Operation::kDelete
                    : current ? Operation::kUpdate
                              : Operation::kCreate,
                    took, !result);
  }
  if (!result) {
    Error error = std::move(result.error());
    error.key = std::move(key);
    co_return base::Err(std::move(error));
  }
  const Revision revision = result->revision;
  // A tag can be set by another's write of the same bytes; it counts only for one that succeeded.
  if (!result->succeeded)
    co_return Outcome{.object = nullptr,
                      .revision = revision,
                      .refused_by = result->current ? result->current->mod_revision : 0};
  if (tag->object()) co_return Outcome{.object = tag->object(), .revision = revision};
  // Written, and no cache has told: there is none, its feed is down for the moment, or the bytes are
  // unreadable.
  if (remove) co_return Outcome{.object = factory_.AtRevision(*current, revision), .revision = revision};
  const SealId seal = tag->plain() ? tag->plain()->seal : kUnsealed;
  const Revision created = current ? current->create_revision() : revision;
  auto object = CO_TRY(factory_.Make(key, stored.view(), created, revision, seal));
  co_return Outcome{.object = std::move(object), .revision = revision};
}

}  // namespace keelson::storage

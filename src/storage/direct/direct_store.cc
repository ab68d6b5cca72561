#include "storage/direct/direct_store.h"

#include <algorithm>
#include <utility>

#include "storage/messages.h"

namespace keelson::storage {
namespace {

using base::Err;

Error NotFound(std::string key) { return {.code = Code::kNotFound, .key = std::move(key)}; }
Error Unreadable(std::string key) {
  return {.code = Code::kCorrupt, .detail = "stored bytes do not decode", .key = std::move(key)};
}
Error Aborted(std::shared_ptr<const api::Status> cause) {
  return {.code = Code::kAborted, .cause = std::move(cause)};
}

}  // namespace

// The object of one write, read from the backend.
class DirectStore::BackendObjects final : public CurrentObjects {
 public:
  BackendObjects(DirectStore& store, std::string_view key, base::RequestNotes* notes)
      : store_(store), full_key_(store.FullKey(key)), notes_(notes) {}

  ObjectPtr Find(std::string_view) const override { return object_; }
  bool Fresh() const override { return true; }
  base::Task<Result<void>> Refresh() override {
    object_ = CO_TRY(co_await store_.worker_.Call([this] { return store_.ReadObject(full_key_, notes_); }));
    co_return Result<void>();
  }
  base::Task<Result<void>> WaitUntil(Revision) override { return Refresh(); }
  base::Task<Result<int64_t>> StoredBytes() override {
    return store_.worker_.Call([this] { return store_.ReadStoredBytes(); });
  }

 private:
  DirectStore& store_;
  const std::string full_key_;
  base::RequestNotes* const notes_;
  ObjectPtr object_;  // as it was read last
};

// What a write has to find out between its attempts.
class DirectStore::WriteAttempts {
 public:
  WriteAttempts(const DirectStore& store, CurrentObjects& objects, std::string_view key)
      : store_(store), objects_(objects), key_(key), fresh_(objects.Fresh()) {}

  // A refusal counts only if it is made of the newest object. Where others write too, a cache's may be older.
  bool fresh() const { return fresh_; }
  // Makes sure of the newest object. True: it is another one than `current`.
  base::Task<Result<bool>> FindsNewer(const ObjectPtr& current) {
    CO_TRY(co_await objects_.Refresh());
    fresh_ = true;
    co_return objects_.Find(key_) != current;
  }
  // After the backend refused to write over `current`: waits for what it was refused by.
  // What refused it may be gone again. But if it is in the store and not in a cache that has seen everything,
  // trying again would never end: kCorrupt.
  base::Task<Result<void>> AwaitRefuser(const ObjectWriter::Outcome& outcome, const ObjectPtr& current) {
    CO_TRY(co_await objects_.WaitUntil(outcome.revision));
    const bool again = std::exchange(refused_by_, outcome.refused_by) == outcome.refused_by;
    if (again && objects_.Find(key_) == current) co_return Err(Unreadable(store_.FullKey(key_)));
    co_return Result<void>();
  }

 private:
  const DirectStore& store_;
  CurrentObjects& objects_;
  const std::string_view key_;
  bool fresh_;
  std::optional<Revision> refused_by_;
};

DirectStore::DirectStore(std::shared_ptr<const ObjectFactory> factory, Backend& backend,
                         DirectStoreOptions options, CurrentObjects* cache)
    : factory_(std::move(factory)),
      backend_(backend),
      options_(options),
      cache_(cache),
      writer_(backend, *factory_, *options_.clock, options_.lease_reuse, options_.metrics) {}

// ---- Limits and preconditions

Result<void> DirectStore::CheckSize(std::string_view key, size_t stored) const {
  if (options_.max_object_bytes == 0 || stored <= options_.max_object_bytes) return {};
  return Err(Error{.code = Code::kTooBig,
                   .detail = "the object takes " + std::to_string(stored) + " bytes, and " +
                             std::to_string(options_.max_object_bytes) + " are allowed",
                   .key = FullKey(key)});
}

base::Task<Result<void>> DirectStore::CheckRoom(CurrentObjects& objects, std::string key, size_t stored,
                                                ObjectPtr current) const {
  const auto taken = CO_TRY(co_await objects.StoredBytes());
  const size_t before = current ? current->bytes().size() : 0;
  const size_t after = static_cast<size_t>(std::max<int64_t>(taken, 0)) + stored - before;
  if (after <= options_.quota_bytes) co_return Result<void>();
  const std::string& prefix = factory_->prefix();
  co_return Err(Error{.code = Code::kFull,
                      .detail = "the store keeps no more than " + std::to_string(options_.quota_bytes) +
                                " bytes of " + prefix.substr(prefix.rfind('/') + 1),
                      .key = FullKey(key)});
}

Result<void> DirectStore::Check(const ChangeOptions& options, const Object* object,
                                std::string_view key) const {
  const auto failed = [&](std::string_view what, const std::string& wanted, const std::string& found) {
    std::string full = FullKey(key);
    std::string detail =
        "StorageError: invalid object, Code: 4, Key: " + full +
        ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + std::string(what) +
        " in precondition: " + wanted + ", " + std::string(what) + " in object meta: " + found;
    return Err(Error{.code = Code::kConflict, .detail = std::move(detail), .key = std::move(full)});
  };
  if (options.uid) {
    const std::string_view uid = object ? object->uid() : std::string_view();
    if (*options.uid != uid) return failed("UID", *options.uid, std::string(uid));
  }
  if (options.resource_version) {
    const std::string version = object ? std::to_string(object->revision()) : "";
    if (*options.resource_version != version)
      return failed("ResourceVersion", *options.resource_version, version);
  }
  return {};
}

// ---- Writing

void DirectStore::Describe(std::string_view key, base::Trace* trace, base::ScopedSpan& span) const {
  span->Set("audit-id", trace->facts.audit_id);
  span->Set("key", std::string(factory_->own_prefix()).append("/").append(key));
  span->Set("group", factory_->group());
  span->Set("resource", factory_->resource());
}

base::Task<Result<ObjectPtr>> DirectStore::Create(std::string key, Draft draft, CreateOptions options) {
  if (cache_) return CreateFrom(*cache_, std::move(key), std::move(draft), options);
  return [](DirectStore& self, std::string key, Draft draft,
            CreateOptions options) -> base::Task<Result<ObjectPtr>> {
    BackendObjects objects(self, key, options.notes);
    co_return co_await self.CreateFrom(objects, std::move(key), std::move(draft), options);
  }(*this, std::move(key), std::move(draft), options);
}

base::Task<Result<ObjectPtr>> DirectStore::CreateFrom(CurrentObjects& objects, std::string key, Draft draft,
                                                      CreateOptions options) {
  base::ScopedSpan span(options.trace, "Create etcd3");
  if (span) Describe(key, options.trace, span);
  const size_t size = draft.envelope.size();
  CO_TRY(CheckSize(key, size));
  if (NeedsRoom(size, nullptr)) CO_TRY(co_await CheckRoom(objects, key, size, nullptr));
  auto outcome = CO_TRY(co_await writer_.Put(FullKey(key), std::move(draft), nullptr, options.ttl,
                                             options.trace, options.notes));
  span.AddEvent("Txn call succeeded");
  if (!outcome.object) co_return Err(Error{.code = Code::kExists, .key = FullKey(key)});
  co_return std::move(outcome.object);
}

base::Task<Result<ObjectPtr>> DirectStore::GuaranteedUpdate(std::string key, bool create_if_absent,
                                                            ChangeOptions options, UpdateFn update) {
  if (cache_)
    return UpdateFrom(*cache_, std::move(key), create_if_absent, std::move(options), std::move(update));
  return [](DirectStore& self, std::string key, bool create_if_absent, ChangeOptions options,
            UpdateFn update) -> base::Task<Result<ObjectPtr>> {
    BackendObjects objects(self, key, options.notes);
    CO_TRY(co_await objects.Refresh());
    co_return co_await self.UpdateFrom(objects, std::move(key), create_if_absent, std::move(options),
                                       std::move(update));
  }(*this, std::move(key), create_if_absent, std::move(options), std::move(update));
}

base::Task<Result<ObjectPtr>> DirectStore::UpdateFrom(CurrentObjects& objects, std::string key,
                                                      bool create_if_absent, ChangeOptions options,
                                                      UpdateFn update) {
  base::Trace* const trace = options.trace;
  base::RequestNotes* const notes = options.notes;
  base::ScopedSpan span(trace, "GuaranteedUpdate etcd3");
  if (span) Describe(key, trace, span);
  WriteAttempts attempts(*this, objects, key);
  for (;;) {
    ObjectPtr current = objects.Find(key);
    auto wanted = co_await Judge(key, create_if_absent, options, current, update);
    const bool writes = wanted && !wanted->unchanged;
    if (!writes && !attempts.fresh()) {
      const bool newer = CO_TRY(co_await attempts.FindsNewer(current));
      if (newer) continue;
    }
    if (!wanted) co_return Err(std::move(wanted.error()));
    if (wanted->unchanged) co_return current;
    const size_t size = wanted->stored.envelope.size();
    if (!wanted->remove) {
      CO_TRY(CheckSize(key, size));
      if (NeedsRoom(size, current.get())) CO_TRY(co_await CheckRoom(objects, key, size, current));
    }
    span.AddEvent("Transaction prepared");
    auto outcome = CO_TRY(co_await (wanted->remove ? writer_.Delete(FullKey(key), current, trace, notes)
                                                   : writer_.Put(FullKey(key), std::move(wanted->stored),
                                                                 current, wanted->ttl, trace, notes)));
    span.AddEvent("Txn call completed");
    if (outcome.object) {
      span.AddEvent("Transaction committed");
      co_return std::move(outcome.object);
    }
    CO_TRY(co_await attempts.AwaitRefuser(outcome, current));
    span.AddEvent("Retry value restored");
  }
}

// What is to become of `current`: `update`'s word, within the preconditions.
base::Task<Result<Update>> DirectStore::Judge(std::string_view key, bool create_if_absent,
                                              const ChangeOptions& options, ObjectPtr current,
                                              const UpdateFn& update) {
  if (!current && !create_if_absent) co_return Err(NotFound(FullKey(key)));
  CO_TRY(Check(options, current.get(), key));
  auto wanted = co_await update(current);
  if (!wanted) co_return Err(Aborted(std::move(wanted.error())));
  if (wanted->remove && !current) co_return Err(NotFound(FullKey(key)));
  co_return std::move(*wanted);
}

base::Task<Result<ObjectPtr>> DirectStore::Delete(std::string key, ChangeOptions options,
                                                  DeleteCheckFn check) {
  if (cache_) return DeleteFrom(*cache_, std::move(key), std::move(options), std::move(check));
  return [](DirectStore& self, std::string key, ChangeOptions options,
            DeleteCheckFn check) -> base::Task<Result<ObjectPtr>> {
    BackendObjects objects(self, key, options.notes);
    CO_TRY(co_await objects.Refresh());
    co_return co_await self.DeleteFrom(objects, std::move(key), std::move(options), std::move(check));
  }(*this, std::move(key), std::move(options), std::move(check));
}

base::Task<Result<ObjectPtr>> DirectStore::DeleteFrom(CurrentObjects& objects, std::string key,
                                                      ChangeOptions options, DeleteCheckFn check) {
  const auto judge = [&](const Object* current) -> Result<void> {
    if (!current) return Err(NotFound(FullKey(key)));
    TRY(Check(options, current, key));
    if (!check) return {};
    if (auto allowed = check(*current); !allowed) return Err(Aborted(std::move(allowed.error())));
    return {};
  };
  WriteAttempts attempts(*this, objects, key);
  for (;;) {
    ObjectPtr current = objects.Find(key);
    auto allowed = judge(current.get());
    if (!allowed && !attempts.fresh()) {
      const bool newer = CO_TRY(co_await attempts.FindsNewer(current));
      if (newer) continue;
    }
    if (!allowed) co_return Err(std::move(allowed.error()));
    auto outcome = CO_TRY(co_await writer_.Delete(FullKey(key), current, options.trace, options.notes));
    if (outcome.object) co_return std::move(outcome.object);
    CO_TRY(co_await attempts.AwaitRefuser(outcome, current));
  }
}

}  // namespace keelson::storage

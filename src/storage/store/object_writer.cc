#include "storage/store/object_writer.h"

#include <utility>

namespace keelson::storage {

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Put(std::string key, base::Slice stored,
                                                            ObjectPtr current,
                                                            std::optional<std::chrono::seconds> ttl) {
  Write write{.type = Write::Type::kPut, .key = std::move(key), .value = factory_.AtRest(std::move(stored))};
  if (ttl && ttl->count() > 0) {
    auto lease = co_await leases_.Get(*ttl);
    if (!lease) co_return base::Err(std::move(lease.error()));
    write.lease = *lease;
  }
  auto commit = Commit(std::move(write), std::move(current));
  co_return co_await std::move(commit);
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Delete(std::string key, ObjectPtr current) {
  Write write{.type = Write::Type::kDelete, .key = std::move(key)};
  auto commit = Commit(std::move(write), std::move(current));
  co_return co_await std::move(commit);
}

base::Task<Result<ObjectWriter::Outcome>> ObjectWriter::Commit(Write write, ObjectPtr current) {
  auto tag = std::make_shared<WriteTag>();
  std::string key = write.key;
  const bool remove = write.type == Write::Type::kDelete;
  const base::Slice stored = write.value;
  write.tag = tag;
  Txn txn;
  txn.compares.push_back({.key = key, .mod_revision = current ? current->revision() : 0});
  txn.writes.push_back(std::move(write));
  auto result = co_await backend_.Commit(std::move(txn));
  if (!result) {
    Error error = std::move(result.error());
    error.key = std::move(key);
    co_return base::Err(std::move(error));
  }
  const Revision revision = result->revision;
  // A tag can be set by another's write of the same bytes; it counts only for one that succeeded.
  if (!result->succeeded) co_return Outcome{.object = nullptr, .revision = revision};
  if (tag->object) co_return Outcome{.object = tag->object, .revision = revision};
  // Written, and the cache has not told: its feed is down for the moment, or the bytes are unreadable.
  if (remove) co_return Outcome{.object = factory_.AtRevision(*current, revision), .revision = revision};
  auto object = factory_.Make(key, stored.view(), current ? current->create_revision() : revision, revision);
  if (!object) co_return base::Err(std::move(object.error()));
  co_return Outcome{.object = std::move(*object), .revision = revision};
}

}  // namespace keelson::storage

#include "storage/embedded/batch_builder.h"

#include <algorithm>
#include <utility>

namespace keelson::storage {
namespace {

bool HasDuplicateKeys(const std::vector<Write>& writes) {
  if (writes.size() < 2) return false;
  std::vector<std::string_view> keys;
  keys.reserve(writes.size());
  for (const Write& write : writes) keys.push_back(write.key);
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace

Result<TxnResult> BatchBuilder::Add(const Txn& txn) {
  for (const Compare& compare : txn.compares) {
    auto entry = TRY(Find(compare.key));
    const Revision mod_revision = entry->present() ? entry->head.mod_revision : 0;
    if (mod_revision == compare.mod_revision) continue;
    auto current = TRY(Current(compare.key, *entry, txn.wants_current_value));
    return TxnResult{.succeeded = false, .revision = revision_, .current = std::move(current)};
  }
  // Everything that can fail comes before the first write is added.
  TRY(CheckWrites(txn));

  const size_t before = batch_.mutations.size();
  for (const Write& write : txn.writes) Apply(write, entries_.find(write.key)->second);
  if (batch_.mutations.size() != before) ++revision_;
  return TxnResult{.succeeded = true, .revision = revision_, .current = {}};
}

Result<TxnResult> BatchBuilder::AddAt(Revision revision, const Txn& txn) {
  const Revision before = std::exchange(revision_, revision - 1);
  auto added = Add(txn);
  if (added)
    batch_.compacted = revision;
  else
    revision_ = before;
  return added;
}

Result<void> BatchBuilder::CheckWrites(const Txn& txn) {
  if (HasDuplicateKeys(txn.writes))
    return base::Err(Error{Code::kInvalidOption, "a transaction may write a key only once"});
  for (const Write& write : txn.writes) {
    if (write.type == Write::Type::kPut && write.lease != 0 && !leases_.Alive(write.lease, now_))
      return base::Err(Error{Code::kNotFound, "requested lease not found", write.key});
    TRY(Find(write.key));
  }
  return {};
}

Result<BatchBuilder::Entry*> BatchBuilder::Find(std::string_view key) {
  auto [it, added] = entries_.try_emplace(key);
  if (!added) return &it->second;
  auto head = engine_.FindHead(key);
  if (!head) {
    entries_.erase(it);
    return base::Err(std::move(head.error()));
  }
  if (*head) it->second.head = **head;
  return &it->second;
}

Result<std::optional<KeyValue>> BatchBuilder::Current(std::string_view key, const Entry& entry,
                                                      bool with_value) {
  if (!entry.present()) return std::optional<KeyValue>();
  const bool in_batch = entry.mutation != kUnchanged;
  if (in_batch || !with_value) {
    return std::optional<KeyValue>(
        KeyValue{.key = std::string(key),
                 .value = in_batch ? batch_.mutations[entry.mutation].change.value : base::Slice(),
                 .create_revision = entry.head.create_revision,
                 .mod_revision = entry.head.mod_revision,
                 .lease = entry.head.lease});
  }
  auto view = TRY(engine_.OpenView());
  return view->Get(key, entry.head.mod_revision);
}

void BatchBuilder::Apply(const Write& write, Entry& entry) {
  const bool put = write.type == Write::Type::kPut;
  if (!put && !entry.present()) return;  // deleting nothing changes nothing

  const Revision revision = revision_ + 1;
  const Revision created = !put ? 0 : entry.present() ? entry.head.create_revision : revision;
  const LeaseId lease = put ? write.lease : 0;
  entry.mutation = batch_.mutations.size();
  batch_.mutations.push_back({
      .change = {.type = write.type,
                 .key = write.key,
                 .value = put ? write.value : base::Slice(),
                 .create_revision = created,
                 .revision = revision,
                 .lease = lease,
                 .tag = write.tag.get()},
      .previous_revision = entry.head.mod_revision,
      .previous_lease = entry.head.lease,
  });
  entry.head = {.create_revision = created, .mod_revision = revision, .lease = lease, .deleted = !put};
  bytes_ += write.key.size() + write.value.size();
}

}  // namespace keelson::storage

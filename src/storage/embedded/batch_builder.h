// BatchBuilder: judges transactions one after another and gathers what they write. Each
// sees the ones before it as done.
//
// Threads: the commit thread's own. The transactions must outlive the builder: keys are
// borrowed from them.
#pragma once

#include <string_view>
#include <unordered_map>

#include "storage/embedded/engine.h"
#include "storage/embedded/lease_table.h"

namespace keelson::storage {

class BatchBuilder {
 public:
  // `revision`: the newest there is; `now` decides which leases are alive.
  BatchBuilder(Engine& engine, const LeaseTable& leases, Revision revision, LeaseTable::Time now)
      : engine_(engine), leases_(leases), revision_(revision), now_(now) {}

  // What the writer of `txn` is told once the batch is durable. Errors concern this
  // transaction alone and add nothing to the batch.
  Result<TxnResult> Add(const Txn& txn);

  // The same, at `revision`, which is newer than any, and with everything before it compacted.
  Result<TxnResult> AddAt(Revision revision, const Txn& txn);

  Batch& batch() { return batch_; }
  Revision revision() const { return revision_; }  // after everything added
  size_t bytes() const { return bytes_; }          // of the values added

 private:
  static constexpr size_t kUnchanged = ~size_t{0};
  struct Entry {
    Head head;                     // mod_revision 0: never seen
    size_t mutation = kUnchanged;  // the newest of this batch for the key
    bool present() const { return head.mod_revision != 0 && !head.deleted; }
  };
  Result<Entry*> Find(std::string_view key);
  // Without `with_value` nothing is read, and the value may be missing.
  Result<std::optional<KeyValue>> Current(std::string_view key, const Entry& entry, bool with_value);
  Result<void> CheckWrites(const Txn& txn);
  void Apply(const Write& write, Entry& entry);

  Engine& engine_;
  const LeaseTable& leases_;
  Revision revision_;
  const LeaseTable::Time now_;
  Batch batch_;
  size_t bytes_ = 0;
  std::unordered_map<std::string_view, Entry> entries_;
};

}  // namespace keelson::storage

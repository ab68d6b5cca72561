// Transaction: what one request reads and writes, decided before anything is committed. Later operations see
// what earlier ones have written.
//
// Threads: the store's loop; nobody else writes to the backend until it is committed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "etcd/errors.h"
#include "etcd/lease_table.h"
#include "etcd/messages.h"
#include "etcd/stored_value.h"
#include "storage/backend.h"

namespace keelson::etcd {

class Transaction {
 public:
  // Borrowed.
  Transaction(storage::Backend& backend, const LeaseTable& leases, size_t max_ops);

  Result<RangeAnswer> Range(const RangeRequest& request) const;
  Result<TxnAnswer> Run(const TxnRequest& request);
  void Delete(const std::string& key) { written_[key] = std::nullopt; }

  // What is to be committed; empty: nothing changes.
  std::vector<storage::Write> Writes() const;
  // Whose keys change: to be told to the leases once it is committed.
  void TellLeases(LeaseTable& leases) const;

 private:
  Result<std::vector<Entry>> Read(std::string_view key, std::string_view range_end) const;
  Result<bool> Holds(const Compare& compare) const;
  Result<Answer> Apply(const Operation& operation);
  Result<Answer> Put(const PutRequest& request);
  Result<Answer> DeleteRange(const DeleteRangeRequest& request);

  storage::Backend& backend_;
  const LeaseTable& leases_;
  const size_t max_ops_;
  const Revision next_;                                  // of what is written here
  std::map<std::string, std::optional<Entry>> written_;  // nothing: deleted
  std::map<std::string, LeaseId> leases_before_;         // of the keys in written_ that had one
};

}  // namespace keelson::etcd

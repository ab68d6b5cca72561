// Store: etcd's rules on a Backend that nobody else writes to: transactions of any operations, versions of
// keys, leases that are kept alive and revoked.
//
// Threads: everything on one loop. Reads may wait for the disk there: this process does nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/task.h"
#include "etcd/errors.h"
#include "etcd/lease_table.h"
#include "etcd/messages.h"
#include "etcd/transaction.h"
#include "etcd/turns.h"
#include "storage/backend.h"

namespace keelson::etcd {

struct StoreOptions {
  size_t max_txn_ops = 128;
  const base::Clock* clock = &base::Clock::Real();  // for leases
};

class Store {
 public:
  // Finds the leases of the keys that are there, with their whole time before them. Before `loop` runs.
  static Result<std::unique_ptr<Store>> Open(storage::Backend& backend, base::Executor& loop,
                                             StoreOptions options);

  Revision revision() const { return backend_.CurrentRevision(); }
  storage::Backend& backend() { return backend_; }

  struct Read {
    Revision revision = 0;  // the store's
    RangeAnswer answer;
  };
  Result<Read> Range(const RangeRequest& request);

  struct Committed {
    Revision revision = 0;  // the store's afterwards
    TxnAnswer answer;
  };
  // `message` is what the request points into.
  base::Task<Result<Committed>> Commit(base::Slice message, TxnRequest request);
  base::Task<Result<void>> Compact(Revision revision);

  base::Task<Result<LeaseAnswer>> Grant(LeaseId id, int64_t ttl);
  // Its keys are deleted, in one transaction.
  base::Task<Result<void>> Revoke(LeaseId id);
  LeaseTable& leases() { return leases_; }
  // Revokes the leases whose time is over.
  base::Task<void> EndLeases();

 private:
  Store(storage::Backend& backend, base::Executor& loop, StoreOptions options)
      : backend_(backend), options_(options), leases_(*options.clock), turns_(loop) {}

  // Both require the turn.
  base::Task<Result<void>> Finish(Transaction& transaction);
  base::Task<Result<void>> RevokeInTurn(LeaseId id);
  base::Task<void> EndLeasesInTurn();

  storage::Backend& backend_;
  const StoreOptions options_;
  LeaseTable leases_;
  Turns turns_;
};

}  // namespace keelson::etcd

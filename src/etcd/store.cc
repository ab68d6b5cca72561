#include "etcd/store.h"

#include <utility>

#include "base/log.h"
#include "etcd/stored_value.h"

namespace keelson::etcd {

Result<std::unique_ptr<Store>> Store::Open(storage::Backend& backend, base::Executor& loop,
                                           StoreOptions options) {
  std::unique_ptr<Store> store(new Store(backend, loop, options));
  auto all = backend.Range("", "", {.counted = false});
  if (!all) return base::Err(ToStatus(all.error()));
  for (storage::KeyValue& item : all->items) {
    const auto stored = Unpack(std::move(item));
    if (stored && stored->entry.lease != 0)
      store->leases_.Restore(stored->entry.lease, stored->lease_ttl, stored->entry.key);
  }
  return store;
}

Result<Store::Read> Store::Range(const RangeRequest& request) {
  RangeAnswer answer = TRY(Transaction(backend_, leases_, options_.max_txn_ops).Range(request));
  // A write may have come to be the newest while this was read.
  const Revision revision = answer.revision != 0 ? answer.revision : backend_.CurrentRevision();
  return Read{.revision = revision, .answer = std::move(answer)};
}

base::Task<Result<void>> Store::Finish(Transaction& transaction) {
  std::vector<storage::Write> writes = transaction.Writes();
  if (writes.empty()) co_return Result<void>();
  const auto committed = co_await backend_.Commit({.compares = {}, .writes = std::move(writes)});
  if (!committed) co_return base::Err(ToStatus(committed.error()));
  transaction.TellLeases(leases_);
  co_return Result<void>();
}

base::Task<Result<Store::Committed>> Store::Commit(base::Slice message, TxnRequest request) {
  const base::Slice kept = std::move(message);
  const Turns::Turn turn = co_await turns_.Take();
  co_await EndLeasesInTurn();
  Transaction transaction(backend_, leases_, options_.max_txn_ops);
  auto answer = transaction.Run(request);
  if (!answer) co_return base::Err(std::move(answer.error()));
  if (auto done = co_await Finish(transaction); !done) co_return base::Err(std::move(done.error()));
  co_return Committed{.revision = backend_.CurrentRevision(), .answer = std::move(*answer)};
}

base::Task<Result<void>> Store::Compact(Revision revision) {
  const Turns::Turn turn = co_await turns_.Take();
  const auto compacted = co_await backend_.Compact(revision);
  if (!compacted) co_return base::Err(ToStatus(compacted.error()));
  co_return Result<void>();
}

base::Task<Result<LeaseAnswer>> Store::Grant(LeaseId id, int64_t ttl) {
  const Turns::Turn turn = co_await turns_.Take();
  co_return leases_.Grant(id, ttl);
}

base::Task<Result<void>> Store::Revoke(LeaseId id) {
  const Turns::Turn turn = co_await turns_.Take();
  if (!leases_.Has(id)) co_return base::Err(LeaseNotFound());
  co_return co_await RevokeInTurn(id);
}

base::Task<Result<void>> Store::RevokeInTurn(LeaseId id) {
  Transaction transaction(backend_, leases_, options_.max_txn_ops);
  for (const std::string& key : leases_.KeysOf(id)) transaction.Delete(key);
  auto done = co_await Finish(transaction);
  if (done) leases_.Remove(id);
  co_return done;
}

base::Task<void> Store::EndLeases() {
  const Turns::Turn turn = co_await turns_.Take();
  co_await EndLeasesInTurn();
}

base::Task<void> Store::EndLeasesInTurn() {
  while (const auto ended = leases_.Ended()) {
    const auto revoked = co_await RevokeInTurn(*ended);
    if (revoked) continue;
    base::Log(base::LogLevel::kWarning, "cannot end a lease", {{"why", revoked.error().message}});
    co_return;  // it is tried again
  }
}

}  // namespace keelson::etcd

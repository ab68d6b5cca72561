// ForwardingBackend: a Backend that passes every call on to another one. A test derives from it and overrides
// the calls that it is about.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/backend.h"

namespace keelson::storage {

class ForwardingBackend : public Backend {
 public:
  base::Task<Result<TxnResult>> Commit(Txn txn) override { return inner().Commit(std::move(txn)); }
  Result<RangeResult> Range(std::string_view start, std::string_view end,
                            const RangeOptions& options) override {
    return inner().Range(start, end, options);
  }
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override {
    return inner().Get(key, revision);
  }
  Result<Revision> ReadAll(std::string_view prefix, Receiver& receiver, size_t page) override {
    return inner().ReadAll(prefix, receiver, page);
  }
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override {
    return inner().Subscribe(std::move(prefix), after, observer);
  }
  base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) override {
    return inner().GrantLease(ttl);
  }
  base::Task<Result<void>> Compact(Revision revision) override { return inner().Compact(revision); }
  Revision CurrentRevision() const override { return inner().CurrentRevision(); }
  base::Task<Result<void>> Jump(Revision revision) override { return inner().Jump(revision); }
  Revision CompactedRevision() const override { return inner().CompactedRevision(); }
  uint64_t History() const override { return inner().History(); }
  bool shared() const override { return inner().shared(); }
  base::Task<Result<void>> CatchUp(Revision revision) override { return inner().CatchUp(revision); }
  SealId SealOf(std::string_view key) const override { return inner().SealOf(key); }
  Result<void> Health() const override { return inner().Health(); }

 protected:
  // The backend that the calls go to. The derived class says whether it owns it.
  virtual Backend& inner() const = 0;
};

}  // namespace keelson::storage

// EmbeddedBackend: Backend over an Engine in this process.
#pragma once

#include <memory>
#include <string>

#include "storage/backend.h"
#include "storage/embedded/committer.h"
#include "storage/embedded/engine.h"
#include "storage/embedded/observer_table.h"

namespace keelson::storage {

using EmbeddedOptions = Committer::Options;

class EmbeddedBackend final : public Backend {
 public:
  static Result<std::unique_ptr<Backend>> Open(std::unique_ptr<Engine> engine,
                                               const EmbeddedOptions& options);

  base::Task<Result<TxnResult>> Commit(Txn txn) override;
  Result<RangeResult> Range(std::string_view start, std::string_view end,
                            const RangeOptions& options) override;
  Result<Revision> ReadAll(std::string_view prefix, Receiver& receiver, size_t page) override;
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override;
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override;
  base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) override;
  base::Task<Result<void>> Compact(Revision revision) override;
  base::Task<Result<void>> Jump(Revision revision) override;
  Revision CurrentRevision() const override { return committer_.current(); }
  Revision CompactedRevision() const override { return committer_.compacted(); }
  base::Task<Result<void>> CatchUp(Revision revision) override;
  Result<void> Health() const override { return committer_.Health(); }

 private:
  EmbeddedBackend(std::unique_ptr<Engine> engine, const Engine::State& state, const EmbeddedOptions& options);

  // A view and the revision to read it at.
  struct ReadPoint {
    std::unique_ptr<Engine::View> view;
    Revision revision = 0;  // the one asked for; the current one for 0
    Revision current = 0;   // the store's
  };
  Result<ReadPoint> OpenAt(Revision revision);

  class Feed;
  std::unique_ptr<Engine> engine_;
  ObserverTable observers_;
  Committer committer_;  // last: its thread uses the others
};

}  // namespace keelson::storage

// RocksDbEngine: versions of keys in RocksDB, laid out as format.h says.
#pragma once

#include <rocksdb/write_batch.h>

#include <atomic>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "base/clock.h"
#include "storage/embedded/engine.h"
#include "storage/rocksdb/ballast.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/shrinker.h"

namespace keelson::storage {

class RocksDbEngine final : public Engine {
 public:
  struct Options {
    ::rocksdb::Env* env = nullptr;             // null: the real disk
    uint64_t ballast_bytes = 0;                // at most so much is kept back for the day it is full
    std::optional<Revision> accept_data_loss;  // as RocksDbOptions has it
    const base::Clock* clock = &base::Clock::Real();
  };
  static Result<std::unique_ptr<RocksDbEngine>> Open(std::string path, const Options& options);

  Result<State> Load() override;
  Result<std::optional<Head>> FindHead(std::string_view key) override;
  Result<std::vector<std::string>> KeysOf(LeaseId lease, size_t limit) override;
  Result<void> Write(const Batch& batch) override;
  Result<void> Recover(Revision last) override;
  Result<bool> Sweep() override;
  bool SpaceIsShort() const override { return space_is_short_; }
  Result<bool> RegainSpace() override;
  Room room() const override;
  Result<std::unique_ptr<View>> OpenView() override;
  Result<void> Health() const override { return trouble_->Get(); }
  void Rest() override;

 private:
  RocksDbEngine(std::string path, const Options& options);

  void Append(const Mutation& mutation);
  void MoveAttachment(std::string_view key, LeaseId from, LeaseId to);
  Result<void> WritePending(bool sync);
  Result<Revision> ReadRevision(std::string_view name);  // 0 when absent
  Result<void> ProbeDisk();
  bool ThrowOffBallast();
  Result<void> OpenDatabase();
  Result<void> OpenSomehow();
  // Goes on far beyond what was acknowledged and is lost, if that was accepted: no revision means two things.
  Result<void> PassOver(Revision current);
  Result<void> Reopen();
  Result<void> RollBack(Revision last);
  Result<void> SweepEvent(std::string_view log_key, std::string_view record);
  // The revision to sweep on from when what follows `last` cannot be read.
  Revision PassDamage(Revision last, Revision target);
  void MindDamage();

  const std::string path_;
  ::rocksdb::Env* const env_;
  const std::optional<Revision> accept_data_loss_;
  const base::Clock& clock_;
  const std::shared_ptr<BackgroundTrouble> trouble_;

  // Views hold it shared; replacing the database takes it alone. The commit thread, which
  // alone replaces it, reads database_ without.
  std::shared_mutex mu_;
  std::unique_ptr<Database> database_;  // null: closed, and reopening failed so far
  std::atomic<Revision> compacted_{0};

  // The commit thread's own.
  Ballast ballast_;
  Ballast opening_room_;  // thrown off only when nothing else is left and the database does not open
  bool space_is_short_ = false;
  Shrinker shrinker_;
  Revision swept_ = 0;
  ::rocksdb::WriteBatch pending_;
  size_t written_since_rest_ = 0;
};

}  // namespace keelson::storage

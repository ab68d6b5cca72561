// Backups of an embedded store: one file with every record and checksums over all of them.
// docs/formats/backup.md is the specification.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "storage/rocksdb/inspection.h"

namespace keelson::storage {

// Writes what the store in `store` holds now to `file`, which only its owner may read, and reads it back.
// A server may run on the store; it notices nothing. Where history is damaged only what exists now is
// written, and StoreSummary::damage says so. Blocks. kExists: the file is there, or being written; kCorrupt:
// something that exists cannot be read.
Result<StoreSummary> BackUp(const std::string& store, const std::filesystem::path& file);

// Reads all of a backup by its checksums.
Result<StoreSummary> CheckBackup(const std::filesystem::path& file);

struct RestoreOptions {
  // How far the store's revision jumps. Without it: to the number of microseconds since 1970, and by a
  // billion at least, which is beyond whatever the lost store has told anybody. Clients that have seen more
  // than the backup then know that they must list again, and no revision ever means two things.
  std::optional<Revision> bump;
  const base::Clock* clock = &base::Clock::Real();
};
// Makes a store in `store` of a backup, all of it or nothing. kExists: there is something already.
Result<StoreSummary> Restore(const std::filesystem::path& file, const std::string& store,
                             const RestoreOptions& options = {});

}  // namespace keelson::storage

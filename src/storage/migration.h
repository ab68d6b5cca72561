// Migration: every key below a prefix, from one backend to another. Keys and values are the same in
// all of them, so data moves by copying. Revisions are the target's own, and newer than any of the source:
// clients that go on from the source's are told to list again (docs/design/0054-backup.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "storage/backend.h"

namespace keelson::storage {

struct MigrationProgress {
  int64_t total = 0;       // keys in the source
  int64_t compared = 0;    // so far
  int64_t written = 0;     // of them: the target had them not, or otherwise
  int64_t bytes = 0;       // written
  bool verifying = false;  // the second pass, which reads everything again
  Revision to_raise = 0;   // before the first: how far the target's revision is from where it must be
  Revision source_revision = 0;
  // Not above the source's: it could not be raised so far, see `most_raises`.
  Revision target_revision = 0;
};

struct MigrationOptions {
  std::string prefix = "/registry/";
  // A target that holds something already is refused, unless this goes on with a migration
  // that was interrupted.
  bool resume = false;
  // How long keys with a lease live in the target: what is left of their time is not known.
  std::chrono::seconds lease_ttl{3600};
  // The revision of a target that cannot jump (etcd) rises by one with every transaction. This many are made
  // to bring it above the source's; if that is not enough, none is.
  Revision most_raises = 1'000'000;
  const base::Clock* clock = &base::Clock::Real();  // tells how long a lease was granted ago
  std::function<void(const MigrationProgress&)> progress = [](const MigrationProgress&) {};
};

// Copies, then reads both again and compares. Blocks. Nobody may write to either meanwhile, but leases may
// end: keys with one that the source has no more are taken from the target, and those that the target has no
// more are written again. kExists: the target is not empty, or holds keys without a lease that the source
// does not have; kCorrupt: they differ in the end.
Result<MigrationProgress> Migrate(Backend& source, Backend& target, const MigrationOptions& options);

}  // namespace keelson::storage

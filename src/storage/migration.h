// Migration: every key below a prefix, from one backend to another. Keys and values are the same in
// all of them, so data moves by copying; revisions are the target's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "storage/backend.h"

namespace keelson::storage {

struct MigrationProgress {
  int64_t total = 0;       // keys in the source
  int64_t compared = 0;    // so far
  int64_t written = 0;     // of them: the target had them not, or otherwise
  int64_t bytes = 0;       // written
  bool verifying = false;  // the second pass, which reads everything again
};

struct MigrationOptions {
  std::string prefix = "/registry/";
  // A target that holds something already is refused, unless this goes on with a migration
  // that was interrupted.
  bool resume = false;
  // How long keys with a lease live in the target: what is left of their time is not known.
  std::chrono::seconds lease_ttl{3600};
  std::function<void(const MigrationProgress&)> progress = [](const MigrationProgress&) {};
};

// Copies, then reads both again and compares. Blocks. Nobody may write to either meanwhile.
// kExists: the target is not empty, or holds keys that the source does not have; kCorrupt: they
// differ in the end.
Result<MigrationProgress> Migrate(Backend& source, Backend& target, const MigrationOptions& options);

}  // namespace keelson::storage

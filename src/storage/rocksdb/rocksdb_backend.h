// The embedded engine: one directory, one process, RocksDB underneath.
//
// Everything acknowledged is on the disk. Memory does not grow with what is stored: no
// index is held beyond RocksDB's bounded caches.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "storage/backend.h"

namespace rocksdb {
class Env;
}

namespace keelson::storage {

struct RocksDbOptions {
  std::string path;  // a directory of its own; made when absent (its parent must exist)
  const base::Clock* clock = &base::Clock::Real();  // for leases, and for where revisions go on after a loss
  // How often a store that cannot write (disk full) tries again.
  std::chrono::milliseconds recovery_interval{1000};
  // At most so much of the disk is kept back, so that history can be forgotten when the disk is full of it.
  uint64_t ballast_bytes = 0;
  // Logs that are damaged are done without, if what can be read reaches this revision. Revisions then jump
  // beyond whatever was acknowledged, by the rule in revision_by_clock.h.
  std::optional<Revision> accept_data_loss;
  ::rocksdb::Env* env = nullptr;  // tests put a failing disk here; must outlive the backend
};

// kUnreachable: in use by another process, not readable; kCorrupt: the directory holds
// something else, a format this build does not know, or less than was acknowledged: the detail then names the
// file, the revisions and the way out. The detail is meant for people.
Result<std::unique_ptr<Backend>> OpenRocksDbBackend(const RocksDbOptions& options);

}  // namespace keelson::storage

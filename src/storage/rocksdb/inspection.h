// Looking at an embedded store from outside: a server may have it open and go on writing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "storage/errors.h"

namespace keelson::storage {

struct StoreSummary {
  Revision revision = 0;
  Revision compacted = 0;
  int64_t keys = 0;      // that exist now
  int64_t versions = 0;  // of keys, old ones and deletions included
  int64_t leases = 0;
  int64_t bytes = 0;   // of all records
  std::string damage;  // what could not be read: history, so that none of it is counted
};

// Sees every record of the store as of one moment. False stops.
enum class Family : uint8_t { kIndex = 0, kLog = 1 };
using RecordSink = std::function<Result<void>(Family family, std::string_view key, std::string_view record)>;

// Reads all of the store in `path`, by its checksums, and makes sure that it is what
// docs/formats/embedded-store.md allows: every key's newest version is there, every version belongs to a
// key, no revision since the last compaction is missing. Blocks.
// kNotFound: there is no store; kCorrupt: what is wrong, and where, with every damaged table by name; an
// error of `sink` is handed through.
Result<StoreSummary> InspectStore(const std::string& path, const RecordSink& sink = nullptr);

// Shows `sink` a store without history that holds what exists now, where history may be damaged. kCorrupt:
// something that exists now cannot be read; its keys are named.
Result<StoreSummary> InspectLiveState(const std::string& path, const RecordSink& sink);

}  // namespace keelson::storage

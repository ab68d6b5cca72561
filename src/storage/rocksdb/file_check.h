// Whether the files of a store are what its ledger says, before anything is made of them.
#pragma once

#include <string>
#include <vector>

#include "storage/errors.h"
#include "storage/rocksdb/ledger.h"

namespace keelson::storage {

struct FileDamage {
  std::string file;  // its name in the directory of the store
  std::string what;  // "is missing", ready to be shown after the name
};

struct FileCheck {
  bool empty = false;  // there is no store yet
  bool has_ledger = false;
  Ledger::State ledger;            // empty when there is none, or none that can be read
  std::vector<FileDamage> damage;  // in order of name
  // Logs hold more than the ledger knows: what nobody was told of, or was told of just before a loss of
  // power.
  bool unsynced = false;
};

// Reads the logs and the manifest of the store in `path` up to where they were synced, and of its tables what
// RocksDB takes on trust (table_check.h), and changes nothing. A server that runs on the store can take files
// away meanwhile, which then look damaged. Blocks. An error: a file cannot be read.
Result<FileCheck> CheckFiles(const std::string& path);

// Whether a store can be opened without what is damaged: it then lacks what was written last.
bool OnlyLogsAreDamaged(const FileCheck& check);
// The logs that cannot be used: those after the first damaged one.
std::vector<std::string> UselessLogs(const std::string& path, const FileCheck& check);
// Moves them to the directory `lost` in the store, copies the damaged one there, and replaces the ledger by
// one that knows nothing of them. `left` is the newest revision without them; the new ledger has a later one
// as acknowledged, whatever the old one knew, so that the loss is passed over.
Result<void> SetAside(const std::string& path, const FileCheck& check, Revision left);

// Reads every table in `path`, and names those with a block that does not match its checksum: "; damaged
// tables: …". Empty: there are none.
std::string DamagedTables(const std::string& path);

// "/data/db/000004.log is missing, and …".
std::string Describe(const std::string& path, const std::vector<FileDamage>& damage);

}  // namespace keelson::storage

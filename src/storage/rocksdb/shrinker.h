// Shrinker: gives the room of swept records back to a disk that is full, table by table, so that no step
// needs more room than one table has.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "storage/rocksdb/ballast.h"
#include "storage/rocksdb/database.h"

namespace keelson::storage {

class Shrinker {
 public:
  // The log record of this revision was deleted. Tables without such a record are left alone, but for the
  // first time: what was deleted before is not known.
  void OnDeleted(Revision revision);

  // Rewrites tables until `enough`, or for about a tenth of a second. True: tables are left. Nothing is done
  // while a view is open from before the last deletion.
  Result<bool> Slice(Database& database, const Ballast& disk, const std::function<bool()>& enough);

 private:
  void BeginPass(Database& database);
  bool HasDeleted(const ::rocksdb::SstFileMetaData& table) const;
  Result<void> MergeNewest(Database& database, const Ballast& disk);

  bool everything_ = true;           // any table may have deleted records
  std::vector<Revision> deleted_;    // else only those with these, since the pass before
  std::vector<uint64_t> left_;       // numbers of the tables to rewrite in this pass, the next one last
  std::vector<uint64_t> too_large_;  // for the room there was; another time
  bool rewrote_ = false;             // something in this pass, so there may be more room now
};

}  // namespace keelson::storage

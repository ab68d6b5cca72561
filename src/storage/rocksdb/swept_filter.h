// SweptFilter: lets a table be written anew without the records that are deleted by now, whichever table
// their deletions are in. RocksDB itself drops a record only where it meets the deletion, and so must read
// both.
//
//   level 0   deletion of log/7, deletion of log/9000        a few bytes that span all of history
//   level 6   [log/1 .. log/20] [log/21 .. log/40] ...       8 MB each
//
// Merging the first with what it spans takes as much room as the whole store. Writing [log/1 .. log/20] alone
// anew, without log/7, takes 8 MB.
#pragma once

#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>

#include <atomic>
#include <memory>

namespace keelson::storage {

// Passes everything until it is told to drop what `db` no longer shows in `family`; so what is merged
// meanwhile must not be read at a snapshot that is older than the deletions.
class SweptFilterFactory final : public ::rocksdb::CompactionFilterFactory {
 public:
  void Drop(::rocksdb::DB& db, ::rocksdb::ColumnFamilyHandle* family) {
    family_ = family;
    db_.store(&db, std::memory_order_release);
  }
  void Pass() { db_.store(nullptr, std::memory_order_release); }

  const char* Name() const override { return "keelson.swept"; }
  std::unique_ptr<::rocksdb::CompactionFilter> CreateCompactionFilter(
      const ::rocksdb::CompactionFilter::Context& context) override;

 private:
  ::rocksdb::ColumnFamilyHandle* family_ = nullptr;
  std::atomic<::rocksdb::DB*> db_ = nullptr;
};

}  // namespace keelson::storage

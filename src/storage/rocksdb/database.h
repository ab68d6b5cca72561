// Database: an open RocksDB with the column families of the embedded store, and how
// RocksDB is set up for it.
//
// Threads: as RocksDB: reads and writes from any.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/errors.h"
#include "storage/rocksdb/ledger.h"
#include "storage/rocksdb/swept_filter.h"
#include "storage/rocksdb/tracked_files.h"

namespace keelson::storage {

// Remembers that RocksDB failed to flush or compact in the background. A table that is damaged is no reason
// to stop writing: that it could not be merged is remembered apart.
class BackgroundTrouble final : public ::rocksdb::EventListener {
 public:
  void OnBackgroundError(::rocksdb::BackgroundErrorReason reason, ::rocksdb::Status* status) override;
  // RocksDB would try again by itself once the disk has room, beside the commit thread which does so too.
  void OnErrorRecoveryBegin(::rocksdb::BackgroundErrorReason, ::rocksdb::Status, bool* by_itself) override {
    *by_itself = false;
  }
  void Clear();
  Result<void> Get() const;
  // Which table could not be merged for the damage in it; told once each time. Empty: none.
  std::string TakeDamage();

 private:
  std::atomic<bool> failed_{false};  // so that asking while all is well takes no lock
  std::atomic<bool> damaged_{false};
  mutable base::Mutex mu_;
  std::string reason_ GUARDED_BY(mu_);
  std::string damage_ GUARDED_BY(mu_);
};

struct DatabaseOptions {
  ::rocksdb::Env* env = nullptr;  // null: the real disk
  // Files are merged in the background whenever RocksDB sees fit. False: room is short, they are merged when
  // they are told to be, and a database that should be flushed but cannot be opens all the same: Flush must
  // have succeeded before it is written to.
  bool merging = true;
  // What writing files may take on a full disk: on a small disk less is kept in memory and in logs. 0: any.
  uint64_t room_bytes = 0;
  // Logs that are damaged are left out, if what is left ends with this revision.
  std::optional<Revision> accept_data_loss;
};

class Database {
 public:
  // kCorrupt: files are not what the ledger says they must be; the detail names them, and the way out.
  static Result<std::unique_ptr<Database>> Open(const std::string& path,
                                                std::shared_ptr<BackgroundTrouble> trouble,
                                                const DatabaseOptions& options = {});
  // To read only, and as of now, while another process may have it open and write. Nothing in `path` is
  // changed. What it holds is complete only if it turns out to be consistent (inspection.h): files can go
  // while it is opened.
  static Result<std::unique_ptr<Database>> OpenBeside(const std::string& path);
  // To read only, as if the `hidden` files were not there. Nothing in `path` is changed. kNotFound: it is no
  // store.
  static Result<std::unique_ptr<Database>> OpenWithout(const std::string& path,
                                                       const std::vector<std::string>& hidden);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ::rocksdb::DB& db() { return *db_; }
  ::rocksdb::ColumnFamilyHandle* index() { return index_; }
  ::rocksdb::ColumnFamilyHandle* log() { return log_; }

  // 0: there is none; an error: not ours, or of a later build.
  Result<uint64_t> Format();
  // The newest revision in the log; 1 for an empty one.
  Result<Revision> NewestRevision();
  // Everything that is in memory and in logs goes to tables. Whatever the logs lack on the disk no longer
  // matters.
  Result<void> Flush();
  // Gives back memory that only makes reading and writing faster: what was written goes to tables in the
  // background if it is much, and what was read is forgotten.
  void Rest();
  // After a synced write, before anybody is told: everything that was synced is now owed.
  Result<void> Acknowledge(Revision revision) { return ledger_->Acknowledge(revision); }
  Revision acknowledged() const { return ledger_->revision(); }
  // Writing a log failed: the database must be opened anew, and flushed, before it takes anything more.
  bool log_failed() const { return files_->log_failed(); }
  // Writes these tables as one of `level`. Needs as much room as they have.
  Result<void> Merge(::rocksdb::ColumnFamilyHandle* family, const std::vector<std::string>& tables,
                     int level);
  // Writes a table of the log anew, without the records that are deleted by now (swept_filter.h). Nobody may
  // be reading at a snapshot from before their deletion.
  Result<void> Rewrite(const std::string& table, int level);
  // Of a database that was opened without merging, because room was short.
  Result<void> MergeAgain();
  // Leaves a family that has a damaged table as it is: RocksDB would try to merge it again and again.
  void StopMerging(std::string_view damage);

 private:
  Database() = default;
  Result<void> CheckFormat();
  Result<void> OpenForWriting(const std::string& path, std::shared_ptr<BackgroundTrouble> trouble,
                              const DatabaseOptions& options);

  // In this order: RocksDB uses them until it is closed.
  std::unique_ptr<Ledger> ledger_;  // null: open to read only
  std::shared_ptr<TrackedFiles> files_;
  std::shared_ptr<SweptFilterFactory> swept_;
  std::unique_ptr<::rocksdb::Env> env_;
  std::shared_ptr<::rocksdb::Cache> blocks_;  // null: open to read only
  std::unique_ptr<::rocksdb::DB> db_;
  ::rocksdb::ColumnFamilyHandle* index_ = nullptr;
  ::rocksdb::ColumnFamilyHandle* log_ = nullptr;
  uint64_t room_bytes_ = 0;  // as DatabaseOptions has it
  std::string scratch_;      // a directory to be removed
};

// Corruption stays kCorrupt; all else is kUnreachable.
Error ToError(const ::rocksdb::Status& status);
// RocksDB does not always say which table is damaged. Reads all of those in `path` to find out, if it did
// not.
Error NameTables(Error error, const std::string& path);
Error CorruptRecord(std::string_view what);

inline std::string_view Bytes(const ::rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace keelson::storage

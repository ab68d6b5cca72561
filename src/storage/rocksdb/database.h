// Database: an open RocksDB with the column families of the embedded store, and how
// RocksDB is set up for it.
//
// Threads: as RocksDB: reads and writes from any.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <memory>
#include <string>

#include "base/mutex.h"
#include "storage/errors.h"

namespace keelson::storage {

// Remembers that RocksDB failed to flush or compact in the background.
class BackgroundTrouble final : public ::rocksdb::EventListener {
 public:
  void OnBackgroundError(::rocksdb::BackgroundErrorReason reason, ::rocksdb::Status* status) override;
  void OnErrorRecoveryEnd(const ::rocksdb::BackgroundErrorRecoveryInfo& info) override;
  void Clear();
  Result<void> Get() const;

 private:
  std::atomic<bool> failed_{false};  // so that asking while all is well takes no lock
  mutable base::Mutex mu_;
  std::string reason_ GUARDED_BY(mu_);
};

class Database {
 public:
  // `merging`: files are merged in the background whenever RocksDB sees fit; false: when they are told to be.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, ::rocksdb::Env* env,
                                                std::shared_ptr<BackgroundTrouble> trouble,
                                                bool merging = true);
  // To read only, and as of now, while another process may have it open and write. Nothing in `path` is
  // changed. What it holds is complete only if it turns out to be consistent (inspection.h): files can go
  // while it is opened.
  static Result<std::unique_ptr<Database>> OpenBeside(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ::rocksdb::DB& db() { return *db_; }
  ::rocksdb::ColumnFamilyHandle* index() { return index_; }
  ::rocksdb::ColumnFamilyHandle* log() { return log_; }

 private:
  Database() = default;
  Result<bool> HasFormat();  // false: there is none; an error: not ours
  Result<void> CheckFormat();

  std::unique_ptr<::rocksdb::DB> db_;
  ::rocksdb::ColumnFamilyHandle* index_ = nullptr;
  ::rocksdb::ColumnFamilyHandle* log_ = nullptr;
  std::string scratch_;  // a directory to be removed
};

// Corruption stays kCorrupt; all else is kUnreachable.
Error ToError(const ::rocksdb::Status& status);
Error CorruptRecord(std::string_view what);

inline std::string_view Bytes(const ::rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace keelson::storage

// A file system that keeps a ledger of the logs and manifests that RocksDB writes through it.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "storage/rocksdb/ledger.h"

namespace keelson::storage {

bool IsLogFile(std::string_view name);
bool IsManifestFile(std::string_view name);

// What is synced of a log is noted, what is synced of a manifest is durably published before RocksDB goes on,
// and before a log is deleted the ledger forgets it. A log whose sync failed once counts as unsynced from
// there on, whatever later syncs say: Linux forgets what it could not write.
class TrackedFiles final : public ::rocksdb::FileSystemWrapper {
 public:
  TrackedFiles(const std::shared_ptr<::rocksdb::FileSystem>& files, Ledger& ledger)
      : FileSystemWrapper(files), ledger_(ledger) {}
  const char* Name() const override { return "TrackedFiles"; }

  ::rocksdb::IOStatus NewWritableFile(const std::string& name, const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                      ::rocksdb::IODebugContext* debug) override;
  ::rocksdb::IOStatus DeleteFile(const std::string& name, const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* debug) override;

  // Writing or syncing a log failed. RocksDB must not be asked to sync it again.
  bool log_failed() const { return log_failed_; }
  void OnLogFailed() { log_failed_ = true; }  // the files' own

 private:
  Ledger& ledger_;
  std::atomic<bool> log_failed_{false};
};

}  // namespace keelson::storage

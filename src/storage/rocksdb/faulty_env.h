// A disk that can be told to fail, for tests: an Env over the real one.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace keelson::storage {

class FaultyFileSystem final : public ::rocksdb::FileSystemWrapper {
 public:
  enum class Fault : uint8_t {
    kNone,
    kNoSpace,       // appending fails, as on a full disk
    kSyncFails,     // what was to be synced can be read until the power is lost, and never reaches the disk:
                    // a later sync succeeds without it, as on Linux
    kLogSyncFails,  // the same, of the write-ahead log alone
  };

  FaultyFileSystem() : FileSystemWrapper(::rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }
  void SetFault(Fault fault) { fault_ = fault; }

  ::rocksdb::IOStatus NewWritableFile(const std::string& name, const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                      ::rocksdb::IODebugContext* debug) override;

  ::rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                                 const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* debug) override;

  // Copies a directory as a power loss now would leave it: of every file written through
  // this disk only what was synced, with garbage where a sync failed.
  void CopyAfterPowerLoss(const std::string& from, const std::string& to) const;
  int log_syncs() const { return log_syncs_; }

  // The files' own.
  ::rocksdb::IOStatus OnAppend() const;
  ::rocksdb::IOStatus OnSync(bool is_log);
  void OnSynced(const std::string& name, uint64_t bytes);
  void OnSyncFailed(const std::string& name, uint64_t bytes);

 private:
  struct OnDisk {
    uint64_t bytes = 0;                               // up to the last sync that succeeded
    std::vector<std::pair<uint64_t, uint64_t>> lost;  // [first, last)
    uint64_t end() const { return lost.empty() ? bytes : std::max(bytes, lost.back().second); }
  };
  std::atomic<Fault> fault_{Fault::kNone};
  std::atomic<int> log_syncs_{0};
  mutable base::Mutex mu_;
  std::map<std::string, OnDisk> files_ GUARDED_BY(mu_);  // by path
};

}  // namespace keelson::storage

// A disk that can be told to fail, for tests: an Env over the real one.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>

namespace keelson::storage {

class FaultyFileSystem final : public ::rocksdb::FileSystemWrapper {
 public:
  enum class Fault : uint8_t {
    kNone,
    kNoSpace,        // appending fails, as on a full disk
    kSyncFails,      // appended bytes may or may not stay
    kLogSyncFails,   // the same, of the write-ahead log alone
  };

  FaultyFileSystem() : FileSystemWrapper(::rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }
  void SetFault(Fault fault) { fault_ = fault; }

  ::rocksdb::IOStatus NewWritableFile(const std::string& name, const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                      ::rocksdb::IODebugContext* debug) override;

  ::rocksdb::IOStatus OnAppend() const;
  ::rocksdb::IOStatus OnSync(bool is_log) const;

 private:
  std::atomic<Fault> fault_{Fault::kNone};
};

}  // namespace keelson::storage

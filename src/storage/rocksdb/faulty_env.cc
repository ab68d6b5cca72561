#include "storage/rocksdb/faulty_env.h"

namespace keelson::storage {
namespace {

using ::rocksdb::IODebugContext;
using ::rocksdb::IOOptions;
using ::rocksdb::IOStatus;

class FaultyFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<::rocksdb::FSWritableFile> file, const FaultyFileSystem& disk, bool is_log)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), is_log_(is_log) {}

  using FSWritableFileOwnerWrapper::Append;
  using FSWritableFileOwnerWrapper::PositionedAppend;
  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnAppend();
    return status.ok() ? target()->Append(data, options, debug) : status;
  }
  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options,
                  const ::rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    const IOStatus status = disk_.OnAppend();
    return status.ok() ? target()->Append(data, options, info, debug) : status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnSync(is_log_);
    return status.ok() ? target()->Sync(options, debug) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnSync(is_log_);
    return status.ok() ? target()->Fsync(options, debug) : status;
  }

 private:
  const FaultyFileSystem& disk_;
  const bool is_log_;
};

}  // namespace

IOStatus FaultyFileSystem::NewWritableFile(const std::string& name, const ::rocksdb::FileOptions& options,
                                           std::unique_ptr<::rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  std::unique_ptr<::rocksdb::FSWritableFile> real;
  const IOStatus status = target()->NewWritableFile(name, options, &real, debug);
  if (status.ok()) *file = std::make_unique<FaultyFile>(std::move(real), *this, name.ends_with(".log"));
  return status;
}

IOStatus FaultyFileSystem::OnAppend() const {
  return fault_ == Fault::kNoSpace ? IOStatus::NoSpace("No space left on device") : IOStatus::OK();
}

IOStatus FaultyFileSystem::OnSync(bool is_log) const {
  const Fault fault = fault_;
  const bool fails = fault == Fault::kSyncFails || (fault == Fault::kLogSyncFails && is_log);
  return fails ? IOStatus::IOError("Input/output error") : IOStatus::OK();
}

}  // namespace keelson::storage

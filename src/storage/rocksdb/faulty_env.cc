#include "storage/rocksdb/faulty_env.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/testing/copy_directory.h"

namespace keelson::storage {
namespace {

using ::rocksdb::IODebugContext;
using ::rocksdb::IOOptions;
using ::rocksdb::IOStatus;

constexpr char kGarbage = '\x5a';  // what a place of the disk held that was never written

class FaultyFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<::rocksdb::FSWritableFile> file, FaultyFileSystem& disk, std::string name)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), name_(std::move(name)) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnAppend();
    return status.ok() ? Count(data, target()->Append(data, options, debug)) : status;
  }
  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options,
                  const ::rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    const IOStatus status = disk_.OnAppend();
    return status.ok() ? Count(data, target()->Append(data, options, info, debug)) : status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnSync(IsLog());
    return Synced(status.ok() ? target()->Sync(options, debug) : status);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = disk_.OnSync(IsLog());
    return Synced(status.ok() ? target()->Fsync(options, debug) : status);
  }

 private:
  bool IsLog() const { return name_.ends_with(".log"); }
  IOStatus Count(const ::rocksdb::Slice& data, IOStatus status) {
    if (status.ok()) bytes_ += data.size();
    return status;
  }
  IOStatus Synced(IOStatus status) {
    status.ok() ? disk_.OnSynced(name_, bytes_) : disk_.OnSyncFailed(name_, bytes_);
    return status;
  }

  FaultyFileSystem& disk_;
  const std::string name_;
  uint64_t bytes_ = 0;
};

}  // namespace

IOStatus FaultyFileSystem::NewWritableFile(const std::string& name, const ::rocksdb::FileOptions& options,
                                           std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                           IODebugContext* debug) {
  std::unique_ptr<::rocksdb::FSWritableFile> real;
  const IOStatus status = target()->NewWritableFile(name, options, &real, debug);
  if (status.ok()) {
    {
      base::MutexLock lock(mu_);
      files_[name] = {};
    }
    *file = std::make_unique<FaultyFile>(std::move(real), *this, name);
  }
  return status;
}

IOStatus FaultyFileSystem::RenameFile(const std::string& from, const std::string& to,
                                      const IOOptions& options, IODebugContext* debug) {
  const IOStatus status = target()->RenameFile(from, to, options, debug);
  base::MutexLock lock(mu_);
  if (auto entry = files_.extract(from); status.ok() && entry) files_[to] = entry.mapped();
  return status;
}

void FaultyFileSystem::CopyAfterPowerLoss(const std::string& from, const std::string& to) const {
  base::testing::CopyAtOneMoment(from, to);
  base::MutexLock lock(mu_);
  for (const auto& entry : std::filesystem::directory_iterator(to)) {
    auto known = files_.find(from + "/" + entry.path().filename().string());
    if (known == files_.end()) continue;
    const OnDisk& file = known->second;
    if (file.end() < entry.file_size()) std::filesystem::resize_file(entry.path(), file.end());
    std::fstream stream(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (const auto& [first, last] : file.lost) {
      stream.seekp(static_cast<std::streamoff>(first));
      stream << std::string(last - first, kGarbage);
    }
  }
}

IOStatus FaultyFileSystem::OnAppend() const {
  return fault_ == Fault::kNoSpace ? IOStatus::NoSpace("No space left on device") : IOStatus::OK();
}

IOStatus FaultyFileSystem::OnSync(bool is_log) {
  const Fault fault = fault_;
  const bool fails = fault == Fault::kSyncFails || (fault == Fault::kLogSyncFails && is_log);
  if (fails) return IOStatus::IOError("Input/output error");
  if (is_log) ++log_syncs_;
  return IOStatus::OK();
}

void FaultyFileSystem::OnSynced(const std::string& name, uint64_t bytes) {
  base::MutexLock lock(mu_);
  files_[name].bytes = bytes;
}

void FaultyFileSystem::OnSyncFailed(const std::string& name, uint64_t bytes) {
  base::MutexLock lock(mu_);
  OnDisk& file = files_[name];
  if (bytes > file.end()) file.lost.emplace_back(file.end(), bytes);
}

}  // namespace keelson::storage

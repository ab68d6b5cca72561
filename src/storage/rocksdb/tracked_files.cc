#include "storage/rocksdb/tracked_files.h"

#include <algorithm>
#include <utility>

#include "base/crc32c.h"

namespace keelson::storage {
namespace {

using ::rocksdb::IODebugContext;
using ::rocksdb::IOOptions;
using ::rocksdb::IOStatus;

constexpr std::string_view kLogEnding = ".log";
constexpr std::string_view kManifestBeginning = "MANIFEST-";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string NameIn(const std::string& path) { return path.substr(path.rfind('/') + 1); }

IOStatus ToStatus(const Result<void>& result) {
  return result ? IOStatus::OK() : IOStatus::IOError(result.error().detail);
}

class TrackedFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  TrackedFile(std::unique_ptr<::rocksdb::FSWritableFile> file, TrackedFiles& files, Ledger& ledger,
              std::string name)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), ledger_(ledger), name_(std::move(name)) {}

  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return Count(data, target()->Append(data, options, debug));
  }
  IOStatus Append(const ::rocksdb::Slice& data, const IOOptions& options,
                  const ::rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    return Count(data, target()->Append(data, options, info, debug));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options,
                     IODebugContext* debug) override {
    IOStatus status = target()->RangeSync(offset, bytes, options, debug);
    if (!status.ok()) Fail();
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return Note(failed_ ? Failed() : target()->Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Note(failed_ ? Failed() : target()->Fsync(options, debug));
  }

 private:
  IOStatus Count(const ::rocksdb::Slice& data, IOStatus status) {
    if (status.ok()) {
      extent_.bytes += data.size();
      extent_.checksum = base::Crc32c(extent_.checksum, {data.data(), data.size()});
    } else {
      Fail();
    }
    return status;
  }
  IOStatus Note(IOStatus status) {
    if (!status.ok()) {
      Fail();
      return status;
    }
    ledger_.Note(name_, extent_);
    return IsManifestFile(name_) ? ToStatus(ledger_.PublishDurably()) : status;
  }
  void Fail() {
    failed_ = true;
    if (IsLogFile(name_)) files_.OnLogFailed();
  }
  IOStatus Failed() const { return IOStatus::IOError(name_, "an earlier write or sync of it failed"); }

  TrackedFiles& files_;
  Ledger& ledger_;
  const std::string name_;
  Ledger::Extent extent_;
  bool failed_ = false;
};

}  // namespace

bool IsLogFile(std::string_view name) {
  return name.ends_with(kLogEnding) && IsNumber(name.substr(0, name.size() - kLogEnding.size()));
}

bool IsManifestFile(std::string_view name) {
  return name.starts_with(kManifestBeginning) && IsNumber(name.substr(kManifestBeginning.size()));
}

IOStatus TrackedFiles::NewWritableFile(const std::string& path, const ::rocksdb::FileOptions& options,
                                       std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                       IODebugContext* debug) {
  std::string name = NameIn(path);
  if (!IsLogFile(name) && !IsManifestFile(name)) return target()->NewWritableFile(path, options, file, debug);
  std::unique_ptr<::rocksdb::FSWritableFile> real;
  const IOStatus status = target()->NewWritableFile(path, options, &real, debug);
  if (status.ok()) *file = std::make_unique<TrackedFile>(std::move(real), *this, ledger_, std::move(name));
  return status;
}

IOStatus TrackedFiles::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  const std::string name = NameIn(path);
  if (IsLogFile(name) || IsManifestFile(name)) {
    if (auto forgotten = ledger_.Forget(name, /*durably=*/IsLogFile(name)); !forgotten)
      return ToStatus(forgotten);
  }
  return target()->DeleteFile(path, options, debug);
}

}  // namespace keelson::storage

#include "storage/rocksdb/backup.h"

#include <fcntl.h>
#include <rocksdb/write_batch.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/siphash.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/file_errors.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/revision_by_clock.h"

namespace keelson::storage {
namespace {

using base::Err;
namespace fs = std::filesystem;

constexpr std::string_view kBackupMagic = "keelson backup 1\n";
constexpr size_t kBlockBytes = 1 << 20;
// No record is larger: what a length in a damaged file asks for is not allocated.
constexpr uint64_t kMaxBlockBytes = 256 << 20;

Error BadBackup(const fs::path& file, std::string_view what) {
  return {.code = Code::kCorrupt, .detail = file.string() + ": " + std::string(what)};
}

Result<void> SyncFolderOf(const fs::path& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  if (auto synced = base::SyncDirectory(folder); !synced)
    return Err(Error{.code = Code::kUnreachable, .detail = std::move(synced.error())});
  return {};
}

void PutFixed(std::string& out, uint64_t n) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(n >> shift));
}
uint64_t GetFixed(std::string_view in) {
  uint64_t n = 0;
  for (size_t i = 0; i < 8; ++i) n = n << 8 | static_cast<unsigned char>(in[i]);
  return n;
}
constexpr size_t kHeadBytes = 24;  // of a block: its length and its checksum

// Of everything up to a block, so that blocks cannot be left out or change places.
base::SipDigest Chain(const base::SipDigest& before, std::string_view block) {
  return base::SipHash128({before[0], before[1]}, block);
}

// A file that is locked while it is written. What a process that died has left of one is written over.
class Writer {
 public:
  explicit Writer(fs::path file) : file_(std::move(file)) {}
  ~Writer() {
    if (fd_ < 0) return;
    if (!moved_) ::unlink(file_.c_str());
    ::close(fd_);
  }

  Result<void> Open() {
    for (;;) {
      fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (fd_ < 0) return Err(SystemError(file_));
      if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        ::close(std::exchange(fd_, -1));
        return Err(Error{.code = Code::kExists, .detail = "another backup is writing " + file_.string()});
      }
      if (IsWhatItsNameSays()) break;
      ::close(std::exchange(fd_, -1));  // another backup has finished in between: this is its file
    }
    if (::ftruncate(fd_, 0) != 0 || ::fchmod(fd_, 0600) != 0) return Err(SystemError(file_));
    return Write(kBackupMagic);
  }

  Result<void> Add(Family family, std::string_view key, std::string_view record) {
    block_.push_back(static_cast<char>(family));
    PutFixed(block_, key.size());
    PutFixed(block_, record.size());
    block_.append(key).append(record);
    return block_.size() < kBlockBytes ? Result<void>() : Flush();
  }

  // An empty block ends the file: without it something is missing.
  Result<void> Finish() {
    if (!block_.empty()) TRY(Flush());
    TRY(Flush());
    if (::fsync(fd_) != 0) return Err(SystemError(file_));
    return {};
  }

  // Its name from now on, which lasts.
  Result<void> MoveTo(const fs::path& file) {
    if (::rename(file_.c_str(), file.c_str()) != 0) return Err(SystemError(file));
    moved_ = true;
    return SyncFolderOf(file);
  }

 private:
  bool IsWhatItsNameSays() const {
    struct stat opened, named;
    return ::fstat(fd_, &opened) == 0 && ::stat(file_.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
  }

  Result<void> Flush() {
    chain_ = Chain(chain_, block_);
    std::string head;
    PutFixed(head, block_.size());
    PutFixed(head, chain_[0]);
    PutFixed(head, chain_[1]);
    auto written = Write(head);
    if (written) written = Write(block_);
    block_.clear();
    return written;
  }

  Result<void> Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Err(SystemError(file_));
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return {};
  }

  const fs::path file_;
  int fd_ = -1;
  bool moved_ = false;
  std::string block_;
  base::SipDigest chain_{};
};

class BackupReader {
 public:
  explicit BackupReader(fs::path file) : file_(std::move(file)) {}
  ~BackupReader() {
    if (fd_ >= 0) ::close(fd_);
  }

  Result<void> Each(const RecordSink& sink) {
    fd_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) return Err(SystemError(file_));
    auto magic = TRY(Read(kBackupMagic.size()));
    if (magic != kBackupMagic) return Err(BadBackup(file_, "not a backup that this build can read"));
    base::SipDigest chain{};
    for (;;) {
      auto head = TRY(Read(kHeadBytes));
      const uint64_t size = GetFixed(head);
      if (size > kMaxBlockBytes) return Err(BadBackup(file_, "damaged: a block of impossible size"));
      auto block = TRY(Read(size));
      chain = Chain(chain, block);
      if (chain[0] != GetFixed(std::string_view(head).substr(8)) ||
          chain[1] != GetFixed(std::string_view(head).substr(16)))
        return Err(BadBackup(file_, "damaged: a checksum does not match"));
      if (size == 0) return AtEnd();
      TRY(Records(block, sink));
    }
  }

 private:
  Result<void> AtEnd() {
    char more = 0;
    if (::read(fd_, &more, 1) != 0) return Err(BadBackup(file_, "damaged: more after its end"));
    return {};
  }

  Result<void> Records(std::string_view block, const RecordSink& sink) {
    while (!block.empty()) {
      if (block.size() < 17) return Err(BadBackup(file_, "damaged: half a record"));
      const auto family = static_cast<Family>(block.front());
      const uint64_t key_size = GetFixed(block.substr(1));
      const uint64_t record_size = GetFixed(block.substr(9));
      block.remove_prefix(17);
      if (key_size > block.size() || record_size > block.size() - key_size)
        return Err(BadBackup(file_, "damaged: half a record"));
      TRY(sink(family, block.substr(0, key_size), block.substr(key_size, record_size)));
      block.remove_prefix(key_size + record_size);
    }
    return {};
  }

  Result<std::string> Read(size_t size) {
    std::string bytes(size, '\0');
    for (size_t done = 0; done < size;) {
      const ssize_t n = ::read(fd_, bytes.data() + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Err(SystemError(file_));
      if (n == 0) return Err(BadBackup(file_, "cut off: its end is missing"));
      done += static_cast<size_t>(n);
    }
    return bytes;
  }

  const fs::path file_;
  int fd_ = -1;
};

// Of a store without events, as everywhere.
const StoreSummary kEmpty{.revision = 1};

// What a backup's records amount to, without looking anything up.
Result<void> Count(Family family, std::string_view key, std::string_view record, StoreSummary& summary) {
  summary.bytes += static_cast<int64_t>(key.size() + record.size());
  if (family == Family::kLog) {
    const auto position = format::DecodeLogKey(key);
    if (!position) return Err(CorruptRecord("log key"));
    ++summary.versions;
    summary.revision = std::max(summary.revision, position->revision);
  } else if (key == format::kCompactedKey) {
    const auto revision = format::DecodeNumber(record);
    if (!revision) return Err(CorruptRecord("compacted revision"));
    summary.compacted = static_cast<Revision>(*revision);
  } else if (key.starts_with(format::kHeads)) {
    const auto head = format::DecodeHead(record);
    if (!head) return Err(CorruptRecord("head"));
    if (!head->deleted) ++summary.keys;
  } else if (key.starts_with(format::kLeases)) {
    ++summary.leases;
  }
  return {};
}

// Fills an empty database.
class Filler {
 public:
  explicit Filler(Database& database) : database_(database) {}

  Result<void> Add(Family family, std::string_view key, std::string_view record) {
    batch_.Put(family == Family::kLog ? database_.log() : database_.index(), Slice(key), Slice(record));
    return batch_.GetDataSize() < kBlockBytes ? Result<void>() : Write(/*sync=*/false);
  }

  // The store goes on at `revision`; what was before cannot be watched. `before`: the mark of an earlier
  // restore.
  Result<void> Jump(Revision revision, const Head& before) {
    const Revision created = before.mod_revision == 0 ? revision : before.create_revision;
    batch_.Put(database_.log(), format::LogKey(revision, kJumpKey),
               format::EncodeVersion({.create_revision = created, .previous_revision = before.mod_revision}));
    batch_.Put(database_.index(), format::HeadKey(kJumpKey),
               format::EncodeHead({.create_revision = created, .mod_revision = revision}));
    batch_.Put(database_.index(), Slice(format::kCompactedKey),
               format::EncodeNumber(static_cast<uint64_t>(revision)));
    return Write(/*sync=*/true);
  }

  Result<void> Write(bool sync) {
    ::rocksdb::WriteOptions options;
    options.sync = sync;
    const auto status = database_.db().Write(options, &batch_);
    batch_.Clear();
    if (!status.ok()) return Err(ToError(status));
    return {};
  }

 private:
  static ::rocksdb::Slice Slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

  Database& database_;
  ::rocksdb::WriteBatch batch_;
};

Result<void> Fill(const fs::path& file, const std::string& store, const RestoreOptions& options) {
  auto database = TRY(Database::Open(store, std::make_shared<BackgroundTrouble>()));
  Filler filler(*database);
  StoreSummary summary = kEmpty;
  Head mark;
  TRY(BackupReader(file).Each([&](Family family, std::string_view key, std::string_view record) {
    if (family == Family::kIndex && key == format::HeadKey(kJumpKey))
      mark = format::DecodeHead(record).value_or(Head{});
    auto counted = Count(family, key, record, summary);
    return counted ? filler.Add(family, key, record) : counted;
  }));
  const Revision newest = std::max(summary.revision, summary.compacted);
  const Revision revision =
      options.bump ? newest + *options.bump : RevisionByClock(newest, options.clock->Now());
  return revision == newest ? filler.Write(/*sync=*/true) : filler.Jump(revision, mark);
}

}  // namespace

Result<StoreSummary> BackUp(const std::string& store, const fs::path& file) {
  fs::path unfinished = file;
  unfinished += ".unfinished";
  std::error_code error;
  Writer writer(unfinished);
  TRY(writer.Open());
  if (fs::exists(file, error))
    return Err(Error{.code = Code::kExists, .detail = file.string() + " exists already"});
  const RecordSink add = [&](Family family, std::string_view key, std::string_view record) {
    return writer.Add(family, key, record);
  };
  auto inspected = InspectStore(store, add);
  // History that cannot be read is left out: what exists now is worth more than it.
  if (!inspected && inspected.error().code == Code::kCorrupt) {
    std::string damage = std::move(inspected.error().detail);
    inspected = InspectLiveState(store, add);
    if (inspected) inspected->damage = std::move(damage);
  }
  if (!inspected) return inspected;
  TRY(writer.Finish());
  auto read_back = TRY(CheckBackup(unfinished));
  if (read_back.versions != inspected->versions || read_back.keys != inspected->keys ||
      read_back.revision != inspected->revision)
    return Err(BadBackup(unfinished, "reads back as another store"));
  TRY(writer.MoveTo(file));
  return inspected;
}

Result<StoreSummary> CheckBackup(const fs::path& file) {
  StoreSummary summary = kEmpty;
  TRY(BackupReader(file).Each([&](Family family, std::string_view key, std::string_view record) {
    return Count(family, key, record, summary);
  }));
  return summary;
}

Result<StoreSummary> Restore(const fs::path& file, const std::string& store, const RestoreOptions& options) {
  std::error_code error;
  if (fs::exists(store, error))
    return Err(Error{.code = Code::kExists, .detail = "there is a store in " + store + " already"});
  // A damaged backup is noticed before anything is made of it.
  TRY(CheckBackup(file));
  const std::string unfinished = store + ".unfinished";
  fs::remove_all(unfinished, error);
  TRY(Fill(file, unfinished, options));
  auto inspected = TRY(InspectStore(unfinished));
  fs::rename(unfinished, store, error);
  if (error) return Err(FileError(store, error.message()));
  TRY(SyncFolderOf(store));
  return inspected;
}

}  // namespace keelson::storage

#include "storage/rocksdb/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "base/memory.h"
#include "storage/rocksdb/file_check.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/room.h"

#if __has_feature(thread_sanitizer)
// RocksDB as packaged is not instrumented, so the sanitizer misses the atomics by which it
// publishes and releases its own memory and takes using that for a race: inside it, and in
// the files that read what it hands out.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:rocksdb::\nrace:storage/rocksdb/format.cc\nrace:storage/rocksdb/log_reader.cc\nrace:storage/"
         "rocksdb/rocksdb_view.cc\n";
}
#endif

namespace keelson::storage {
namespace {

// RocksDB's warnings and errors as log lines of our own; the rest is its own business.
class WarningLogger final : public ::rocksdb::Logger {
 public:
  WarningLogger() : Logger(::rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using Logger::Logv;
  void Logv(const ::rocksdb::InfoLogLevel level, const char* format, va_list args) override {
    if (level < ::rocksdb::InfoLogLevel::WARN_LEVEL || level == ::rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    char text[512];
    const int length = std::vsnprintf(text, sizeof text, format, args);
    if (length <= 0) return;
    std::string_view message(text, std::min<size_t>(static_cast<size_t>(length), sizeof text - 1));
    while (message.ends_with('\n')) message.remove_suffix(1);
    base::Log(
        level >= ::rocksdb::InfoLogLevel::ERROR_LEVEL ? base::LogLevel::kError : base::LogLevel::kWarning,
        "embedded store", {{"rocksdb", message}});
  }
  void Logv(const char*, va_list) override {}
};

::rocksdb::DBOptions MakeDbOptions(::rocksdb::Env* env, std::shared_ptr<BackgroundTrouble> trouble) {
  ::rocksdb::DBOptions options;
  if (env) options.env = env;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.info_log = std::make_shared<WarningLogger>();
  options.listeners = {std::move(trouble)};

  // Opening: nothing is read that is not needed to answer, and the write-ahead log is
  // replayed into memory without being rewritten.
  options.skip_stats_update_on_db_open = true;
  options.avoid_flush_during_recovery = true;
  options.avoid_flush_during_shutdown = true;
  options.max_total_wal_size = 16 << 20;  // bounds the replay

  // A crash leaves a torn tail, which no writer was told of; what follows a damaged
  // record is never applied. What must be there is the ledger's to say.
  options.wal_recovery_mode = ::rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // Whatever is lost of the logs, the families are of one moment.
  options.atomic_flush = true;
  // The commit thread decides when to try again, so that it knows what was written.
  options.max_bgerror_resume_count = 0;

  options.max_open_files = 128;
  options.max_file_opening_threads = 1;
  options.max_background_jobs = 2;
  options.max_subcompactions = 1;
  options.bytes_per_sync = 1 << 20;
  options.max_manifest_file_size = 4 << 20;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

::rocksdb::CompressionType ColdCompression() {
  const auto supported = ::rocksdb::GetSupportedCompressions();
  return std::find(supported.begin(), supported.end(), ::rocksdb::kLZ4Compression) != supported.end()
             ? ::rocksdb::kLZ4Compression
             : ::rocksdb::kNoCompression;
}

::rocksdb::ColumnFamilyOptions MakeFamilyOptions(size_t write_buffer_bytes,
                                                 const ::rocksdb::BlockBasedTableOptions& table) {
  ::rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = write_buffer_bytes;
  options.arena_block_size = 64 << 10;
  options.max_write_buffer_number = 2;
  options.target_file_size_base = 8 << 20;
  options.max_bytes_for_level_base = 32 << 20;
  options.level_compaction_dynamic_level_bytes = true;
  // A merge needs as much room as it reads, and must fit into the ballast's on a full disk. A file that spans
  // more than this of the level below, such as a few deletions all over history, is cut before it goes there.
  options.max_compaction_bytes = 16 << 20;
  options.compression = ::rocksdb::kNoCompression;
  options.bottommost_compression = ColdCompression();
  options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

constexpr size_t kIndexBufferBytes = 4 << 20, kLogBufferBytes = 8 << 20;

constexpr uint64_t kManyBufferedBytes = 512 << 10;  // more goes to tables when nothing else is written

std::shared_ptr<::rocksdb::Cache> MakeBlockCache() {
  return ::rocksdb::NewLRUCache(4 << 20, /*num_shard_bits=*/0);
}

std::vector<::rocksdb::ColumnFamilyDescriptor> MakeFamilies(
    std::shared_ptr<::rocksdb::Cache> blocks = MakeBlockCache()) {
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = std::move(blocks);
  table.cache_index_and_filter_blocks = true;  // so that the cache bounds them too
  table.format_version = 5;
  table.checksum = ::rocksdb::kCRC32c;  // which table_check.h checks too
  // Heads are small, asked for one by one, and often absent (a create).
  ::rocksdb::BlockBasedTableOptions index_table = table;
  index_table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10));
  // Log records are only asked for when they are there.
  table.block_size = 16 << 10;
  return {
      {::rocksdb::kDefaultColumnFamilyName, MakeFamilyOptions(kIndexBufferBytes, index_table)},
      {format::kLogFamily, MakeFamilyOptions(kLogBufferBytes, table)},
  };
}

// Secrets of other users are in there. The folder is enough for what RocksDB makes in it with the modes it
// likes.
void CloseToOthers(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::permissions(path, fs::perms::owner_all, error);
  if (error)
    base::Log(base::LogLevel::kWarning, "others may be able to read the embedded store",
              {{"path", path}, {"why", error.message()}});
  for (fs::directory_iterator file(path, error), end; !error && file != end; file.increment(error)) {
    std::error_code ignored;  // one that is gone is closed
    fs::permissions(file->path(), fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove,
                    ignored);
  }
}

// For a database that is not to be changed.
::rocksdb::DBOptions ReadingOptions() {
  ::rocksdb::DBOptions options = MakeDbOptions(nullptr, nullptr);
  options.listeners.clear();
  options.create_if_missing = options.create_missing_column_families = false;
  return options;
}

Result<std::string> MakeScratch() {
  std::string scratch = (std::filesystem::temp_directory_path() / "keelson-inspection-XXXXXX").string();
  if (::mkdtemp(scratch.data())) return scratch;
  return base::Err(Error{Code::kUnreachable,
                         "cannot make a directory in " + std::filesystem::temp_directory_path().string()});
}

constexpr Revision kFirstRevision = 1;  // of an empty store, as etcd
constexpr size_t kAnyLogs = 64 << 20;

size_t BufferBytes(size_t usual, uint64_t room_bytes) {
  return room_bytes == 0 ? usual : std::min<size_t>(usual, room_bytes / room::kBuffersPerBallast);
}

// Every start leaves a log; when there are so many, they are made into tables.
constexpr long kMostLogs = 32;

}  // namespace

Error ToError(const ::rocksdb::Status& status) {
  std::string text = status.ToString();
  // A table that is missing is looked for under an old name last.
  for (size_t at; (at = text.find(".ldb")) != std::string::npos;) text.replace(at, 4, ".sst");
  return {status.IsCorruption() ? Code::kCorrupt : Code::kUnreachable, "embedded store: " + text};
}

Error NameTables(Error error, const std::string& path) {
  if (error.code == Code::kCorrupt && error.detail.find(".sst") == std::string::npos)
    error.detail += DamagedTables(path);
  return error;
}

Error CorruptRecord(std::string_view what) {
  return {Code::kCorrupt, "embedded store: damaged " + std::string(what)};
}

void BackgroundTrouble::OnBackgroundError(::rocksdb::BackgroundErrorReason reason,
                                          ::rocksdb::Status* status) {
  base::MutexLock lock(mu_);
  const bool unreadable = status->IsCorruption() || (status->IsIOError() && !status->IsNoSpace());
  if (reason == ::rocksdb::BackgroundErrorReason::kCompaction && unreadable) {
    damage_ = status->ToString();
    damaged_.store(true, std::memory_order_release);
    *status = ::rocksdb::Status::OK();
    return;
  }
  reason_ = "embedded store: " + status->ToString();
  failed_.store(true, std::memory_order_release);
}

void BackgroundTrouble::Clear() {
  base::MutexLock lock(mu_);
  reason_.clear();
  failed_.store(false, std::memory_order_release);
}

std::string BackgroundTrouble::TakeDamage() {
  if (!damaged_.load(std::memory_order_acquire)) return {};
  base::MutexLock lock(mu_);
  damaged_.store(false, std::memory_order_release);
  return std::exchange(damage_, {});
}

Result<void> BackgroundTrouble::Get() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  base::MutexLock lock(mu_);
  return base::Err(Error{Code::kUnreachable, reason_});
}

namespace {

// While it is held no other process opens the store.
class Lock {
 public:
  Lock(::rocksdb::Env& env, const std::string& path) : env_(env) {
    status_ = env_.LockFile(path + "/LOCK", &lock_);
  }
  ~Lock() {
    if (lock_) env_.UnlockFile(lock_).PermitUncheckedError();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool held() const { return status_.ok(); }

 private:
  ::rocksdb::Env& env_;
  ::rocksdb::FileLock* lock_ = nullptr;
  ::rocksdb::Status status_;
};

Error InUse(const std::string& path) {
  return {Code::kUnreachable, "the store in " + path + " is in use by another process"};
}

// The revision that is left without the damaged logs, if it is the one that was accepted.
Result<Revision> JudgeDamage(const std::string& path, const FileCheck& check,
                             std::optional<Revision> accepted) {
  Error error{Code::kCorrupt, Describe(path, check.damage)};
  if (!OnlyLogsAreDamaged(check)) {
    error.detail += ". Nothing was changed. The way out: restore a backup (keelson restore)";
    return base::Err(std::move(error));
  }
  auto rest = Database::OpenWithout(path, UselessLogs(path, check));
  auto revision = rest ? (*rest)->NewestRevision() : Result<Revision>(base::Err(std::move(rest.error())));
  if (!revision) {
    error.detail += ", and the rest cannot be read: " + revision.error().detail +
                    ". Nothing was changed. The way out: restore a backup (keelson restore)";
    return base::Err(std::move(error));
  }
  if (accepted == *revision) return *revision;
  const Revision told = check.ledger.revision;
  error.detail += told > *revision ? ": revisions " + std::to_string(*revision + 1) + " to " +
                                         std::to_string(told) + " were acknowledged and cannot be read"
                                   : ": what was acknowledged after revision " + std::to_string(*revision) +
                                         " may be lost";
  error.detail +=
      ". Nothing was changed. The way out: restore a backup (keelson restore), or do without what is lost "
      "(keelson serve --accept-data-loss=" +
      std::to_string(*revision) + ")";
  return base::Err(std::move(error));
}

struct Prepared {
  bool flush = false;  // logs hold what may not be on the disk
};

// A store of format 1 has no ledger; a later one that has none lost it.
Result<void> CheckLedgerIsDue(const std::string& path, FileCheck& check) {
  auto store = Database::OpenWithout(path, {});
  auto version = store ? (*store)->Format() : Result<uint64_t>(base::Err(std::move(store.error())));
  if (!version && version.error().code == Code::kNotFound) return {};  // not a store: opening it says so
  if (!version) return base::Err(std::move(version.error()));
  if (*version >= format::kFormatWithLedger)
    check.damage.push_back({std::string(Ledger::kName), "is missing"});
  return {};
}

// Everything before RocksDB is allowed to touch the files.
Result<Prepared> Prepare(const std::string& path, ::rocksdb::Env& env, std::optional<Revision> accepted) {
  if (auto made = env.CreateDirIfMissing(path); !made.ok()) return base::Err(ToError(made));
  CloseToOthers(path);
  const Lock lock(env, path);
  if (!lock.held()) return base::Err(InUse(path));
  auto check = TRY(CheckFiles(path));
  if (!check.empty && !check.has_ledger && check.damage.empty()) TRY(CheckLedgerIsDue(path, check));
  if (!check.damage.empty()) {
    auto left = TRY(JudgeDamage(path, check, accepted));
    base::Log(base::LogLevel::kError, "the store goes on without what is damaged, as told",
              {{"damage", Describe(path, check.damage)}});
    TRY(SetAside(path, check, left));
    return Prepared{.flush = true};
  }
  if (!check.has_ledger) TRY(Ledger::Create(path, {}));
  const auto logs =
      std::ranges::count_if(check.ledger.files, [](const auto& file) { return IsLogFile(file.first); });
  return Prepared{.flush = check.unsynced || logs > kMostLogs};
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 std::shared_ptr<BackgroundTrouble> trouble,
                                                 const DatabaseOptions& options) {
  auto prepared =
      TRY(Prepare(path, options.env ? *options.env : *::rocksdb::Env::Default(), options.accept_data_loss));
  std::unique_ptr<Database> database(new Database);
  TRY(database->OpenForWriting(path, std::move(trouble), options));
  // Where room is short it can be read, and is flushed before it takes anything.
  if (prepared.flush)
    if (auto flushed = database->Flush(); !flushed && options.merging)
      return base::Err(std::move(flushed.error()));
  if (auto checked = database->CheckFormat(); !checked) {
    checked.error().detail = path + ": " + checked.error().detail;
    return base::Err(std::move(checked.error()));
  }
  return database;
}

Result<void> Database::OpenForWriting(const std::string& path, std::shared_ptr<BackgroundTrouble> trouble,
                                      const DatabaseOptions& options) {
  ledger_ = TRY(Ledger::Open(path));
  room_bytes_ = options.room_bytes;
  ::rocksdb::Env* const env = options.env ? options.env : ::rocksdb::Env::Default();
  files_ = std::make_shared<TrackedFiles>(env->GetFileSystem(), *ledger_);
  env_ = ::rocksdb::NewCompositeEnv(files_);
  swept_ = std::make_shared<SweptFilterFactory>();
  std::vector<::rocksdb::ColumnFamilyHandle*> handles;
  ::rocksdb::DB* db = nullptr;
  blocks_ = MakeBlockCache();
  auto families = MakeFamilies(blocks_);
  for (auto& family : families) {
    family.options.disable_auto_compactions = !options.merging;
    // Where room is short, logs are replayed into memory however much they hold.
    family.options.write_buffer_size =
        options.merging ? BufferBytes(family.options.write_buffer_size, room_bytes_) : kAnyLogs;
    if (family.name == format::kLogFamily) family.options.compaction_filter_factory = swept_;
  }
  auto db_options = MakeDbOptions(env_.get(), std::move(trouble));
  if (room_bytes_ > 0)
    db_options.max_total_wal_size =
        std::min(db_options.max_total_wal_size, room_bytes_ / room::kLogsPerBallast);
  const auto status = ::rocksdb::DB::Open(db_options, path, families, &handles, &db);
  if (!status.ok()) {
    const std::string text = status.ToString();
    if (status.IsIOError() && text.find("/LOCK") != std::string::npos) return base::Err(InUse(path));
    if (status.IsInvalidArgument())
      return base::Err(
          Error{Code::kCorrupt, path + " holds a database that is not a store of this server: " + text});
    return base::Err(NameTables(ToError(status), path));
  }
  db_.reset(db);
  index_ = handles[0];
  log_ = handles[1];
  return {};
}

Result<std::unique_ptr<Database>> Database::OpenWithout(const std::string& path,
                                                        const std::vector<std::string>& hidden) {
  namespace fs = std::filesystem;
  auto scratch = TRY(MakeScratch());
  std::unique_ptr<Database> database(new Database);
  database->scratch_ = std::move(scratch);
  std::error_code error;
  for (fs::directory_iterator it(fs::absolute(path), error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (it->is_regular_file() && std::ranges::find(hidden, name) == hidden.end())
      fs::create_symlink(it->path(), fs::path(database->scratch_) / name, error);
  }
  if (error) return base::Err(Error{Code::kUnreachable, path + ": " + error.message()});
  std::vector<::rocksdb::ColumnFamilyHandle*> handles;
  ::rocksdb::DB* db = nullptr;
  const auto status =
      ::rocksdb::DB::OpenForReadOnly(ReadingOptions(), database->scratch_, MakeFamilies(), &handles, &db);
  if (status.IsInvalidArgument()) return base::Err(Error{Code::kNotFound, path + " holds no store"});
  if (!status.ok()) return base::Err(ToError(status));
  database->db_.reset(db);
  database->index_ = handles[0];
  database->log_ = handles[1];
  return database;
}

Result<std::unique_ptr<Database>> Database::OpenBeside(const std::string& path) {
  auto scratch = TRY(MakeScratch());
  std::unique_ptr<Database> database(new Database);
  database->scratch_ = std::move(scratch);
  ::rocksdb::DBOptions options = ReadingOptions();
  options.max_open_files = -1;  // held open: they may be deleted any time
  std::vector<::rocksdb::ColumnFamilyHandle*> handles;
  ::rocksdb::DB* db = nullptr;
  auto status =
      ::rocksdb::DB::OpenAsSecondary(options, path, database->scratch_, MakeFamilies(), &handles, &db);
  if (!status.ok()) return base::Err(ToError(status));
  database->db_.reset(db);
  database->index_ = handles[0];
  database->log_ = handles[1];
  if (status = db->TryCatchUpWithPrimary(); !status.ok()) return base::Err(ToError(status));
  auto format = TRY(database->Format());
  if (format == 0) return base::Err(Error{Code::kCorrupt, path + ": data without a format version"});
  return database;
}

// What was written without a sync is synced, so that the next start finds the logs as the ledger has them.
Database::~Database() {
  if (db_) {
    if (ledger_ && !log_failed() && db_->SyncWAL().ok()) static_cast<void>(ledger_->PublishDurably());
    for (auto* family : {index_, log_}) db_->DestroyColumnFamilyHandle(family);
    db_->Close();
    db_.reset();
  }
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

Result<uint64_t> Database::Format() {
  std::string record;
  const auto status = db_->Get({}, index_, ::rocksdb::Slice(format::kFormatKey), &record);
  if (status.IsNotFound()) return uint64_t{0};
  if (!status.ok()) return base::Err(ToError(status));
  auto version = format::DecodeNumber(record);
  if (!version || *version == 0) return base::Err(CorruptRecord("format version"));
  if (*version <= format::kFormatVersion) return *version;
  return base::Err(Error{Code::kCorrupt, "the store has format " + std::to_string(*version) +
                                             "; this build reads formats up to " +
                                             std::to_string(format::kFormatVersion)});
}

Result<void> Database::CheckFormat() {
  auto found = TRY(Format());
  if (found == format::kFormatVersion) return {};
  if (found == 0) {
    for (auto* family : {index_, log_}) {
      std::unique_ptr<::rocksdb::Iterator> any(db_->NewIterator({}, family));
      any->SeekToFirst();
      if (any->Valid()) return base::Err(Error{Code::kCorrupt, "data without a format version"});
      if (!any->status().ok()) return base::Err(ToError(any->status()));
    }
  }
  ::rocksdb::WriteOptions synced;
  synced.sync = true;
  const auto written = db_->Put(synced, index_, ::rocksdb::Slice(format::kFormatKey),
                                format::EncodeNumber(format::kFormatVersion));
  if (!written.ok()) return base::Err(ToError(written));
  return ledger_->Publish();
}

Result<Revision> Database::NewestRevision() {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::unique_ptr<::rocksdb::Iterator> it(db_->NewIterator(options, log_));
  it->SeekToLast();
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  if (!it->Valid()) return kFirstRevision;
  auto position = format::DecodeLogKey(Bytes(it->key()));
  if (!position) return base::Err(CorruptRecord("log key"));
  return position->revision;
}

Result<void> Database::Flush() {
  const auto status = db_->Flush({}, {index_, log_});
  if (!status.ok()) return base::Err(ToError(status));
  return {};
}

void Database::Rest() {
  uint64_t buffered = 0, bytes = 0;
  for (auto* const family : {index_, log_})
    if (db_->GetIntProperty(family, ::rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes))
      buffered += bytes;
  if (buffered > kManyBufferedBytes) {
    ::rocksdb::FlushOptions later;
    later.wait = false;
    db_->Flush(later, {index_, log_}).PermitUncheckedError();  // the next write tells what is wrong
  }
  blocks_->EraseUnRefEntries();
  // The threads that flush and merge keep what they have freed.
  for (const auto pool : {::rocksdb::Env::Priority::HIGH, ::rocksdb::Env::Priority::LOW})
    env_->Schedule([](void*) { base::GiveBackMemory(); }, nullptr, pool);
}

Result<void> Database::Merge(::rocksdb::ColumnFamilyHandle* family, const std::vector<std::string>& tables,
                             int level) {
  ::rocksdb::CompactionOptions options;
  options.compression = ::rocksdb::kDisableCompressionOption;  // as the family has it
  const auto status = db_->CompactFiles(options, family, tables, level);
  if (!status.ok()) return base::Err(ToError(status));
  return {};
}

Result<void> Database::Rewrite(const std::string& table, int level) {
  swept_->Drop(*db_, log_);
  auto merged = Merge(log_, {table}, level);
  swept_->Pass();
  return merged;
}

Result<void> Database::MergeAgain() {
  for (auto* family : {index_, log_}) {
    const size_t buffer = BufferBytes(family == index_ ? kIndexBufferBytes : kLogBufferBytes, room_bytes_);
    const auto status = db_->SetOptions(
        family, {{"disable_auto_compactions", "false"}, {"write_buffer_size", std::to_string(buffer)}});
    if (!status.ok()) return base::Err(ToError(status));
  }
  return {};
}

void Database::StopMerging(std::string_view damage) {
  for (auto* family : {index_, log_}) {
    ::rocksdb::ColumnFamilyMetaData files;
    db_->GetColumnFamilyMetaData(family, &files);
    for (const auto& level : files.levels) {
      const bool here = std::ranges::any_of(
          level.files, [&](const auto& file) { return damage.find(file.name) != std::string_view::npos; });
      if (here) db_->SetOptions(family, {{"disable_auto_compactions", "true"}}).PermitUncheckedError();
    }
  }
}

}  // namespace keelson::storage

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

#include "base/log.h"
#include "storage/rocksdb/format.h"

#ifdef __SANITIZE_THREAD__
// RocksDB as packaged is not instrumented, so the sanitizer misses the atomics by which it
// publishes and releases its own memory and takes using that for a race: inside it, and in
// the files that read what it hands out.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:rocksdb::\nrace:storage/rocksdb/format.cc\nrace:storage/rocksdb/log_reader.cc\nrace:storage/rocksdb/rocksdb_view.cc\n";
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
  options.skip_checking_sst_file_sizes_on_db_open = true;
  options.avoid_flush_during_recovery = true;
  options.avoid_flush_during_shutdown = true;
  options.max_total_wal_size = 16 << 20;  // bounds the replay

  // A crash leaves a torn tail, which no writer was told of; what follows a damaged
  // record is never applied.
  options.wal_recovery_mode = ::rocksdb::WALRecoveryMode::kPointInTimeRecovery;
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
  options.compression = ::rocksdb::kNoCompression;
  options.bottommost_compression = ColdCompression();
  options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::vector<::rocksdb::ColumnFamilyDescriptor> MakeFamilies() {
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = ::rocksdb::NewLRUCache(4 << 20, /*num_shard_bits=*/0);
  table.cache_index_and_filter_blocks = true;  // so that the cache bounds them too
  table.format_version = 5;
  // Heads are small, asked for one by one, and often absent (a create).
  ::rocksdb::BlockBasedTableOptions index_table = table;
  index_table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10));
  // Log records are only asked for when they are there.
  table.block_size = 16 << 10;
  return {
      {::rocksdb::kDefaultColumnFamilyName, MakeFamilyOptions(4 << 20, index_table)},
      {format::kLogFamily, MakeFamilyOptions(8 << 20, table)},
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

}  // namespace

Error ToError(const ::rocksdb::Status& status) {
  return {status.IsCorruption() ? Code::kCorrupt : Code::kUnreachable,
          "embedded store: " + status.ToString()};
}

Error CorruptRecord(std::string_view what) {
  return {Code::kCorrupt, "embedded store: damaged " + std::string(what)};
}

void BackgroundTrouble::OnBackgroundError(::rocksdb::BackgroundErrorReason, ::rocksdb::Status* status) {
  base::MutexLock lock(mu_);
  reason_ = "embedded store: " + status->ToString();
  failed_.store(true, std::memory_order_release);
}

void BackgroundTrouble::OnErrorRecoveryEnd(const ::rocksdb::BackgroundErrorRecoveryInfo& info) {
  if (info.new_bg_error.ok()) Clear();
}

void BackgroundTrouble::Clear() {
  base::MutexLock lock(mu_);
  reason_.clear();
  failed_.store(false, std::memory_order_release);
}

Result<void> BackgroundTrouble::Get() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  base::MutexLock lock(mu_);
  return base::Err(Error{Code::kUnreachable, reason_});
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, ::rocksdb::Env* env,
                                                 std::shared_ptr<BackgroundTrouble> trouble,
                                                 bool merging) {
  if (auto made = (env ? env : ::rocksdb::Env::Default())->CreateDirIfMissing(path); !made.ok())
    return base::Err(ToError(made));
  CloseToOthers(path);
  std::vector<::rocksdb::ColumnFamilyHandle*> handles;
  ::rocksdb::DB* db = nullptr;
  auto families = MakeFamilies();
  for (auto& family : families) family.options.disable_auto_compactions = !merging;
  const auto status =
      ::rocksdb::DB::Open(MakeDbOptions(env, std::move(trouble)), path, families, &handles, &db);
  if (!status.ok()) {
    const std::string text = status.ToString();
    if (status.IsIOError() && text.find("/LOCK") != std::string::npos)
      return base::Err(Error{Code::kUnreachable, "the store in " + path + " is in use by another process"});
    if (status.IsInvalidArgument())
      return base::Err(
          Error{Code::kCorrupt, path + " holds a database that is not a store of this server: " + text});
    return base::Err(ToError(status));
  }
  std::unique_ptr<Database> database(new Database);
  database->db_.reset(db);
  database->index_ = handles[0];
  database->log_ = handles[1];
  if (auto checked = database->CheckFormat(); !checked) {
    checked.error().detail = path + ": " + checked.error().detail;
    return base::Err(std::move(checked.error()));
  }
  return database;
}

Result<std::unique_ptr<Database>> Database::OpenBeside(const std::string& path) {
  std::unique_ptr<Database> database(new Database);
  std::string scratch = (std::filesystem::temp_directory_path() / "keelson-inspection-XXXXXX").string();
  if (!::mkdtemp(scratch.data()))
    return base::Err(Error{Code::kUnreachable,
                           "cannot make a directory in " + std::filesystem::temp_directory_path().string()});
  database->scratch_ = std::move(scratch);
  ::rocksdb::DBOptions options = MakeDbOptions(nullptr, nullptr);
  options.listeners.clear();
  options.create_if_missing = options.create_missing_column_families = false;
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
  auto format = database->HasFormat();
  if (!format) return base::Err(std::move(format.error()));
  if (!*format) return base::Err(Error{Code::kCorrupt, path + ": data without a format version"});
  return database;
}

Database::~Database() {
  if (db_) {
    for (auto* family : {index_, log_}) db_->DestroyColumnFamilyHandle(family);
    db_->Close();
    db_.reset();
  }
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

Result<bool> Database::HasFormat() {
  std::string record;
  const auto status = db_->Get({}, index_, ::rocksdb::Slice(format::kFormatKey), &record);
  if (status.ok()) {
    auto version = format::DecodeNumber(record);
    if (!version) return base::Err(CorruptRecord("format version"));
    if (*version == format::kFormatVersion) return true;
    return base::Err(Error{Code::kCorrupt, "the store has format " + std::to_string(*version) +
                                               "; this build reads format " +
                                               std::to_string(format::kFormatVersion)});
  }
  if (!status.IsNotFound()) return base::Err(ToError(status));
  return false;
}

Result<void> Database::CheckFormat() {
  auto found = HasFormat();
  if (!found) return base::Err(std::move(found.error()));
  if (*found) return {};
  for (auto* family : {index_, log_}) {
    std::unique_ptr<::rocksdb::Iterator> any(db_->NewIterator({}, family));
    any->SeekToFirst();
    if (any->Valid()) return base::Err(Error{Code::kCorrupt, "data without a format version"});
  }
  ::rocksdb::WriteOptions synced;
  synced.sync = true;
  const auto written = db_->Put(synced, index_, ::rocksdb::Slice(format::kFormatKey),
                                format::EncodeNumber(format::kFormatVersion));
  if (!written.ok()) return base::Err(ToError(written));
  return {};
}

}  // namespace keelson::storage

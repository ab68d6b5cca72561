#include "storage/rocksdb/inspection.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "storage/rocksdb/database.h"
#include "storage/rocksdb/file_check.h"
#include "storage/rocksdb/format.h"

namespace keelson::storage {
namespace {

using base::Err;
using ::rocksdb::Slice;

// A server that runs deletes files and logs that it needs no more; what was opened in between is
// then found wanting, and opened again.
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kPause{200};
constexpr int kNamedKeys = 10;  // of those that cannot be read

Error Damaged(std::string what, std::string_view key) {
  return {.code = Code::kCorrupt, .detail = "embedded store: " + std::move(what), .key = std::string(key)};
}

class Inspector {
 public:
  Inspector(Database& database, const RecordSink& sink) : database_(database), sink_(sink) {
    options_.fill_cache = false;
    options_.verify_checksums = true;
  }

  // Of history only what the newest state needs, so that the past begins with it.
  Result<StoreSummary> RunLive() {
    const Revision newest = TRY(NewestHead());
    summary_ = {.revision = newest, .compacted = newest};
    std::unique_ptr<::rocksdb::Iterator> it(database_.db().NewIterator(options_, database_.index()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::string_view key = Bytes(it->key());
      if (key.starts_with(format::kHeads)) {
        TRY(Live(key.substr(format::kHeads.size()), Bytes(it->value())));
      } else if (key != format::kCompactedKey && key != format::kSweptKey) {
        if (key.starts_with(format::kLeases)) ++summary_.leases;
        TRY(Show(Family::kIndex, key, Bytes(it->value())));
      }
    }
    if (!it->status().ok()) return Err(ToError(it->status()));
    if (unreadable_ > 0)
      return Err(Error{.code = Code::kCorrupt,
                       .detail = "embedded store: " + std::to_string(unreadable_) + " keys cannot be read (" +
                                 why_unreadable_ + "): " + unreadable_keys_});
    for (std::string_view mark : {format::kCompactedKey, format::kSweptKey})
      TRY(Show(Family::kIndex, mark, format::EncodeNumber(static_cast<uint64_t>(newest))));
    return summary_;
  }

  Result<StoreSummary> Run() {
    TRY(ReadCompacted());
    TRY(Each(Family::kLog, [this](auto key, auto record) { return Version(key, record); }));
    if (summary_.versions == 0) summary_.revision = 1;
    TRY(Each(Family::kIndex, [this](auto key, auto record) { return Index(key, record); }));
    return summary_;
  }

 private:
  using Check = std::function<Result<void>(std::string_view key, std::string_view record)>;

  Result<void> ReadCompacted() {
    auto record = TRY(Get(database_.index(), std::string(format::kCompactedKey)));
    if (!record) return {};
    const auto revision = format::DecodeNumber(*record);
    if (!revision) return Err(CorruptRecord("compacted revision"));
    summary_.compacted = static_cast<Revision>(*revision);
    return {};
  }

  Result<void> Each(Family family, const Check& check) {
    auto* const handle = family == Family::kLog ? database_.log() : database_.index();
    std::unique_ptr<::rocksdb::Iterator> it(database_.db().NewIterator(options_, handle));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::string_view key = Bytes(it->key());
      const std::string_view record = Bytes(it->value());
      TRY(check(key, record));
      TRY(Show(family, key, record));
    }
    if (!it->status().ok()) return Err(ToError(it->status()));
    return {};
  }

  // The newest event is never freed, nor is its head.
  Result<Revision> NewestHead() {
    Revision newest = 1;
    std::unique_ptr<::rocksdb::Iterator> it(database_.db().NewIterator(options_, database_.index()));
    for (it->Seek(Slice(format::kHeads)); it->Valid() && Bytes(it->key()).starts_with(format::kHeads);
         it->Next()) {
      const auto head = format::DecodeHead(Bytes(it->value()));
      if (!head) return Err(CorruptRecord("head"));
      newest = std::max(newest, head->mod_revision);
    }
    if (!it->status().ok()) return Err(ToError(it->status()));
    return newest;
  }

  Result<void> Show(Family family, std::string_view key, std::string_view record) {
    summary_.bytes += static_cast<int64_t>(key.size() + record.size());
    return sink_ ? sink_(family, key, record) : Result<void>();
  }

  // A head and its version; neither of a key that was deleted, but for the newest event.
  Result<void> Live(std::string_view key, std::string_view record) {
    const auto head = format::DecodeHead(record);
    if (!head) return Err(CorruptRecord("head"));
    if (head->deleted && head->mod_revision < summary_.revision) return {};
    const std::string log_key = format::LogKey(head->mod_revision, key);
    auto stored = Get(database_.log(), log_key);
    if (!stored || !*stored) {
      why_unreadable_ = stored ? "the newest version is missing" : stored.error().detail;
      if (++unreadable_ <= kNamedKeys) unreadable_keys_.append(unreadable_ > 1 ? ", " : "").append(key);
      return {};
    }
    if (!head->deleted) ++summary_.keys;
    ++summary_.versions;
    auto shown = Show(Family::kLog, log_key, **stored);
    return shown ? Show(Family::kIndex, format::HeadKey(key), record) : shown;
  }

  Result<void> Version(std::string_view log_key, std::string_view record) {
    const auto position = format::DecodeLogKey(log_key);
    const auto version = format::DecodeVersion(record);
    if (!position || !version) return Err(CorruptRecord("log record"));
    ++summary_.versions;
    const Revision last = std::max(summary_.revision, summary_.compacted);
    if (position->revision > last + 1 && last > 0)
      return Err(Damaged(
          "no event between revisions " + std::to_string(last) + " and " + std::to_string(position->revision),
          position->key));
    summary_.revision = position->revision;
    auto head = TRY(FindHead(position->key));
    if (!head || head->mod_revision < position->revision)
      return Err(Damaged("a version newer than its key, at revision " + std::to_string(position->revision),
                         position->key));
    return {};
  }

  Result<void> Index(std::string_view key, std::string_view record) {
    if (key.starts_with(format::kHeads)) return Newest(key.substr(format::kHeads.size()), record);
    if (!key.starts_with(format::kLeases)) return {};
    if (!format::DecodeLeaseKey(key) || !format::DecodeNumber(record)) return Err(CorruptRecord("lease"));
    ++summary_.leases;
    return {};
  }

  Result<void> Newest(std::string_view key, std::string_view record) {
    const auto head = format::DecodeHead(record);
    if (!head) return Err(CorruptRecord("head"));
    if (!head->deleted) ++summary_.keys;
    auto stored = TRY(Get(database_.log(), format::LogKey(head->mod_revision, key)));
    if (!stored) return Err(Damaged("the newest version is missing", key));
    std::string_view rest = *stored;
    const auto version = format::DecodeVersion(rest);
    if (!version || version->deleted != head->deleted || version->create_revision != head->create_revision ||
        version->lease != head->lease)
      return Err(Damaged("the newest version is another than its head says", key));
    return {};
  }

  Result<std::optional<Head>> FindHead(std::string_view key) {
    auto record = TRY(Get(database_.index(), format::HeadKey(key)));
    if (!record) return std::optional<Head>();
    auto head = format::DecodeHead(*record);
    if (!head) return Err(CorruptRecord("head"));
    return head;
  }

  Result<std::optional<std::string>> Get(::rocksdb::ColumnFamilyHandle* family, const std::string& key) {
    std::string record;
    const auto status = database_.db().Get(options_, family, key, &record);
    if (status.IsNotFound()) return std::optional<std::string>();
    if (!status.ok()) return Err(ToError(status));
    return std::optional(std::move(record));
  }

  Database& database_;
  const RecordSink& sink_;
  ::rocksdb::ReadOptions options_;
  StoreSummary summary_;
  int unreadable_ = 0;
  std::string unreadable_keys_, why_unreadable_;
};

Error DamagedFiles(const std::string& path, const std::vector<FileDamage>& damage) {
  return {.code = Code::kCorrupt, .detail = "embedded store: " + Describe(path, damage)};
}

Error NoStore(const std::string& path) {
  return {.code = Code::kNotFound, .detail = "there is no embedded store in " + path};
}

Result<StoreSummary> Attempt(const std::string& path, bool live, const RecordSink& sink) {
  // The files first: RocksDB takes a log that is cut for one that never had more.
  auto check = TRY(CheckFiles(path));
  if (check.empty) return Err(NoStore(path));
  if (!check.damage.empty()) return Err(DamagedFiles(path, check.damage));
  auto database = TRY(Database::OpenBeside(path));
  auto version = TRY(database->Format());
  if (version >= format::kFormatWithLedger && !check.has_ledger)
    return Err(DamagedFiles(path, {{std::string(Ledger::kName), "is missing"}}));
  const auto run = [&](const RecordSink& shown) {
    Inspector inspector(*database, shown);
    return live ? inspector.RunLive() : inspector.Run();
  };
  auto summary = run(nullptr);
  // Found good as a whole before a record of it is shown to anybody.
  if (summary && sink) return run(sink);
  if (summary || summary.error().code != Code::kCorrupt) return summary;
  summary.error().detail += DamagedTables(path);
  return summary;
}

Result<StoreSummary> Inspect(const std::string& path, bool live, const RecordSink& sink) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Err(NoStore(path));
  for (int attempt = 1;; ++attempt) {
    auto summary = Attempt(path, live, sink);
    if (summary || attempt == kAttempts || summary.error().code == Code::kNotFound) return summary;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Result<StoreSummary> InspectStore(const std::string& path, const RecordSink& sink) {
  return Inspect(path, /*live=*/false, sink);
}

Result<StoreSummary> InspectLiveState(const std::string& path, const RecordSink& sink) {
  return Inspect(path, /*live=*/true, sink);
}

}  // namespace keelson::storage

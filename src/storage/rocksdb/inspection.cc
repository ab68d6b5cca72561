#include "storage/rocksdb/inspection.h"

#include <filesystem>
#include <thread>

#include "storage/rocksdb/database.h"
#include "storage/rocksdb/format.h"

namespace keelson::storage {
namespace {

using base::Err;
using ::rocksdb::Slice;

// A server that runs deletes files and logs that it needs no more; what was opened in between is
// then found wanting, and opened again.
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kPause{200};

Error Damaged(std::string what, std::string_view key) {
  return {.code = Code::kCorrupt, .detail = "embedded store: " + std::move(what), .key = std::string(key)};
}

class Inspector {
 public:
  Inspector(Database& database, const RecordSink& sink) : database_(database), sink_(sink) {
    options_.fill_cache = false;
    options_.verify_checksums = true;
  }

  Result<StoreSummary> Run() {
    if (auto compacted = ReadCompacted(); !compacted) return Err(std::move(compacted.error()));
    if (auto log = Each(Family::kLog, [this](auto key, auto record) { return Version(key, record); }); !log)
      return Err(std::move(log.error()));
    if (summary_.versions == 0) summary_.revision = 1;
    if (auto index = Each(Family::kIndex, [this](auto key, auto record) { return Index(key, record); });
        !index)
      return Err(std::move(index.error()));
    return summary_;
  }

 private:
  using Check = std::function<Result<void>(std::string_view key, std::string_view record)>;

  Result<void> ReadCompacted() {
    auto record = Get(database_.index(), std::string(format::kCompactedKey));
    if (!record) return Err(std::move(record.error()));
    if (!*record) return {};
    const auto revision = format::DecodeNumber(**record);
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
      if (auto good = check(key, record); !good) return good;
      summary_.bytes += static_cast<int64_t>(key.size() + record.size());
      if (!sink_) continue;
      if (auto taken = sink_(family, key, record); !taken) return taken;
    }
    if (!it->status().ok()) return Err(ToError(it->status()));
    return {};
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
    auto head = FindHead(position->key);
    if (!head) return Err(std::move(head.error()));
    if (!*head || (*head)->mod_revision < position->revision)
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
    auto stored = Get(database_.log(), format::LogKey(head->mod_revision, key));
    if (!stored) return Err(std::move(stored.error()));
    if (!*stored) return Err(Damaged("the newest version is missing", key));
    std::string_view rest = **stored;
    const auto version = format::DecodeVersion(rest);
    if (!version || version->deleted != head->deleted || version->create_revision != head->create_revision ||
        version->lease != head->lease)
      return Err(Damaged("the newest version is another than its head says", key));
    return {};
  }

  Result<std::optional<Head>> FindHead(std::string_view key) {
    auto record = Get(database_.index(), format::HeadKey(key));
    if (!record) return Err(std::move(record.error()));
    if (!*record) return std::optional<Head>();
    auto head = format::DecodeHead(**record);
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
};

}  // namespace

Result<StoreSummary> InspectStore(const std::string& path, const RecordSink& sink) {
  std::error_code error;
  if (!std::filesystem::exists(path + "/CURRENT", error))
    return Err(Error{.code = Code::kNotFound, .detail = "there is no embedded store in " + path});
  for (int attempt = 1;; ++attempt) {
    auto database = Database::OpenBeside(path);
    Result<StoreSummary> summary = database ? Inspector(**database, nullptr).Run()
                                            : Result<StoreSummary>(Err(std::move(database.error())));
    // Found good as a whole before a record of it is shown to anybody.
    if (summary && sink) return Inspector(**database, sink).Run();
    if (summary || attempt == kAttempts) return summary;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace keelson::storage

#include "storage/rocksdb/rocksdb_view.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <tuple>
#include <utility>

#include "storage/rocksdb/format.h"
#include "storage/rocksdb/log_reader.h"

namespace keelson::storage {
namespace {

using ::rocksdb::PinnableSlice;
using ::rocksdb::Slice;

constexpr size_t kValuesAtOnce = 64;
constexpr size_t kChangesAtOnce = 256;

class RocksDbView final : public Engine::View {
 public:
  RocksDbView(Database& database, std::shared_lock<std::shared_mutex> lock,
              const std::atomic<Revision>& compacted)
      : lock_(std::move(lock)),
        database_(database),
        snapshot_(database.db().GetSnapshot()),
        compacted_(compacted) {
    read_.snapshot = snapshot_;
    scan_ = read_;
    scan_.fill_cache = false;
  }
  ~RocksDbView() override { database_.db().ReleaseSnapshot(snapshot_); }

  Result<RangeResult> Range(std::string_view start, std::string_view end, Revision revision,
                            const RangeOptions& range) override;
  Result<void> ReadAll(std::string_view prefix, Revision revision, Receiver& receiver) override;
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override;
  Result<void> ReadLog(std::string_view prefix, Revision after, Revision last, const Sink& sink) override;

 private:
  // Goes over the heads in [start, end) as of `revision`, until `see` has seen enough and returns false.
  using SeeHead = std::function<bool(std::string_view key, const Head& head)>;
  Result<void> ForEachHead(std::string_view start, std::string_view end, Revision revision,
                           const SeeHead& see);
  // The head that `key` had at `revision`, given its newest; none when absent then.
  Result<std::optional<Head>> HeadAt(std::string_view key, const Head& newest, Revision revision);
  // The log record at that place; none when it is not there.
  Result<std::optional<format::Version>> ReadVersion(Revision revision, std::string_view key,
                                                     PinnableSlice& record);
  Result<void> FillValues(std::span<KeyValue> items);

  const std::shared_lock<std::shared_mutex> lock_;
  Database& database_;
  const ::rocksdb::Snapshot* const snapshot_;
  const Revision compacted_;  // initialised after the snapshot: what it lacks was compacted
  ::rocksdb::ReadOptions read_;
  ::rocksdb::ReadOptions scan_;
};

// Where the value begins in a log record.
Result<base::Slice> ValueOf(std::string_view record) {
  if (!format::DecodeVersion(record)) return base::Err(CorruptRecord("log record"));
  return base::Slice::Copy(record);
}

KeyValue ToKeyValue(std::string_view key, const Head& head) {
  return {.key = std::string(key),
          .value = {},
          .create_revision = head.create_revision,
          .mod_revision = head.mod_revision,
          .lease = head.lease};
}

Result<void> RocksDbView::ForEachHead(std::string_view start, std::string_view end, Revision revision,
                                      const SeeHead& see) {
  const std::string upper_key = end.empty() ? PrefixEnd(format::kHeads) : format::HeadKey(end);
  const Slice upper(upper_key);
  ::rocksdb::ReadOptions options = scan_;
  options.iterate_upper_bound = &upper;
  std::unique_ptr<::rocksdb::Iterator> it(database_.db().NewIterator(options, database_.index()));
  for (it->Seek(format::HeadKey(start)); it->Valid(); it->Next()) {
    const std::string_view key = Bytes(it->key()).substr(format::kHeads.size());
    auto newest = format::DecodeHead(Bytes(it->value()));
    if (!newest) return base::Err(CorruptRecord("head"));
    auto head = TRY(HeadAt(key, *newest, revision));
    if (head && !see(key, *head)) return {};
  }
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  return {};
}

Result<RangeResult> RocksDbView::Range(std::string_view start, std::string_view end, Revision revision,
                                       const RangeOptions& range) {
  RangeResult result;
  if (!end.empty() && start >= end) return result;
  TRY(ForEachHead(start, end, revision, [&](std::string_view key, const Head& head) {
    ++result.count;
    if (range.limit != 0 && result.items.size() == range.limit) {
      result.more = true;
      return range.counted;
    }
    result.items.push_back(ToKeyValue(key, head));
    return true;
  }));
  if (!range.keys_only) TRY(FillValues(result.items));
  return result;
}

// In the order of the log every block of it is read once, however the keys are spread over it.
Result<void> RocksDbView::ReadAll(std::string_view prefix, Revision revision, Receiver& receiver) {
  WantedVersions wanted;
  auto seen = ForEachHead(prefix, PrefixEnd(prefix), revision, [&](std::string_view key, const Head& head) {
    wanted.Add(head.mod_revision, key);
    return true;
  });
  if (seen) {
    receiver.Expect(wanted.size());
    seen = ReadVersions(database_, scan_, std::move(wanted), receiver);
  }
  if (!seen) return base::Err(NameTables(std::move(seen.error()), database_.db().GetName()));
  return {};
}

Result<std::optional<KeyValue>> RocksDbView::Get(std::string_view key, Revision revision) {
  PinnableSlice record;
  const auto status = database_.db().Get(read_, database_.index(), format::HeadKey(key), &record);
  if (status.IsNotFound()) return std::optional<KeyValue>();
  if (!status.ok()) return base::Err(ToError(status));
  auto newest = format::DecodeHead(Bytes(record));
  if (!newest) return base::Err(CorruptRecord("head"));
  auto head = TRY(HeadAt(key, *newest, revision));
  if (!head) return std::optional<KeyValue>();
  std::optional<KeyValue> found = ToKeyValue(key, *head);
  TRY(FillValues({&*found, 1}));
  return found;
}

Result<std::optional<Head>> RocksDbView::HeadAt(std::string_view key, const Head& newest, Revision revision) {
  Revision at = newest.mod_revision;
  if (at <= revision) return newest.deleted ? std::optional<Head>() : std::optional<Head>(newest);
  for (PinnableSlice record;;) {
    auto version = TRY(ReadVersion(at, key, record));
    if (!version) {
      if (at < compacted_) return std::optional<Head>();  // a deletion that is swept
      return base::Err(CorruptRecord("log: a version is missing"));
    }
    const format::Version& then = *version;
    if (at <= revision) {
      if (then.deleted) return std::optional<Head>();
      return std::optional<Head>(Head{then.create_revision, at, then.lease, false});
    }
    if (then.previous_revision == 0) return std::optional<Head>();  // created later
    at = then.previous_revision;
  }
}

Result<std::optional<format::Version>> RocksDbView::ReadVersion(Revision revision, std::string_view key,
                                                                PinnableSlice& record) {
  record.Reset();
  const auto status = database_.db().Get(read_, database_.log(), format::LogKey(revision, key), &record);
  if (status.IsNotFound()) return std::optional<format::Version>();
  if (!status.ok()) return base::Err(ToError(status));
  std::string_view rest = Bytes(record);
  auto version = format::DecodeVersion(rest);
  if (!version) return base::Err(CorruptRecord("log record"));
  return version;
}

// Asks in the order of the log, where neighbours share blocks: a list of everything reads
// each block once.
Result<void> RocksDbView::FillValues(std::span<KeyValue> items) {
  std::vector<KeyValue*> ordered;
  ordered.reserve(items.size());
  for (KeyValue& item : items) ordered.push_back(&item);
  std::sort(ordered.begin(), ordered.end(), [](const KeyValue* a, const KeyValue* b) {
    return std::tie(a->mod_revision, a->key) < std::tie(b->mod_revision, b->key);
  });
  std::array<std::string, kValuesAtOnce> names;
  std::array<Slice, kValuesAtOnce> keys;
  std::array<PinnableSlice, kValuesAtOnce> records;
  std::array<::rocksdb::Status, kValuesAtOnce> statuses;
  for (std::span<KeyValue*> rest = ordered; !rest.empty();) {
    const size_t n = std::min(rest.size(), kValuesAtOnce);
    for (size_t i = 0; i < n; ++i) {
      names[i] = format::LogKey(rest[i]->mod_revision, rest[i]->key);
      keys[i] = names[i];
      records[i].Reset();
    }
    database_.db().MultiGet(scan_, database_.log(), n, keys.data(), records.data(), statuses.data(),
                            /*sorted_input=*/true);
    for (size_t i = 0; i < n; ++i) {
      if (statuses[i].IsNotFound()) return base::Err(CorruptRecord("log: a version is missing"));
      if (!statuses[i].ok()) return base::Err(ToError(statuses[i]));
      rest[i]->value = TRY(ValueOf(Bytes(records[i])));
    }
    rest = rest.subspan(n);
  }
  return {};
}

Result<void> RocksDbView::ReadLog(std::string_view prefix, Revision after, Revision last, const Sink& sink) {
  const std::string upper_key = format::LogKey(last + 1, {});
  const Slice upper(upper_key);
  ::rocksdb::ReadOptions options = scan_;
  options.iterate_upper_bound = &upper;
  std::unique_ptr<::rocksdb::Iterator> it(database_.db().NewIterator(options, database_.log()));
  std::vector<Change> changes;
  std::deque<std::string> keys;  // what the changes point to
  auto flush = [&] {
    if (!changes.empty()) sink(changes);
    changes.clear();
    keys.clear();
  };
  for (it->Seek(format::LogKey(after + 1, {})); it->Valid(); it->Next()) {
    auto position = format::DecodeLogKey(Bytes(it->key()));
    std::string_view value = Bytes(it->value());
    auto version = format::DecodeVersion(value);
    if (!position || !version) return base::Err(CorruptRecord("log record"));
    if (!position->key.starts_with(prefix)) continue;
    if (changes.size() >= kChangesAtOnce && changes.back().revision != position->revision) flush();
    changes.push_back({.type = version->deleted ? Write::Type::kDelete : Write::Type::kPut,
                       .key = keys.emplace_back(position->key),
                       .value = version->deleted ? base::Slice() : base::Slice::Copy(value),
                       .create_revision = version->create_revision,
                       .revision = position->revision,
                       .lease = version->lease});
  }
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  flush();
  return {};
}

}  // namespace

std::unique_ptr<Engine::View> MakeRocksDbView(Database& database, std::shared_lock<std::shared_mutex> lock,
                                              const std::atomic<Revision>& compacted) {
  return std::make_unique<RocksDbView>(database, std::move(lock), compacted);
}

}  // namespace keelson::storage

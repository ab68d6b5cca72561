#include "storage/rocksdb/log_reader.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "storage/rocksdb/format.h"

namespace keelson::storage {
namespace {

using ::rocksdb::Slice;

// What one thread reads before it asks for more: enough that reading ahead pays, and that nobody waits
// long for the last one.
constexpr size_t kShare = 256;
constexpr unsigned kMostThreads = 4;
// So many records are passed over before a search is cheaper.
constexpr int kSteps = 8;

// Reads shares of the wanted versions until none is left.
class ShareReader {
 public:
  ShareReader(Database& database, const ::rocksdb::ReadOptions& options, const WantedVersions& wanted,
              Receiver& receiver)
      : wanted_(wanted), receiver_(receiver), it_(database.db().NewIterator(options, database.log())) {}

  // Requires: first is not before the last of an earlier call.
  Result<void> Read(size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) TRY(ReadOne(wanted_[i]));
    return {};
  }

 private:
  Result<void> ReadOne(const WantedVersions::Wanted& wanted) {
    MoveTo(format::LogKey(wanted.revision, wanted.key));
    if (!it_->status().ok()) return base::Err(ToError(it_->status()));
    std::string_view record = found_ ? Bytes(it_->value()) : std::string_view();
    const auto version = found_ ? format::DecodeVersion(record) : std::nullopt;
    if (!found_) return base::Err(CorruptRecord("log: a version is missing"));
    if (!version) return base::Err(CorruptRecord("log record"));
    receiver_.Take(wanted.position, {.key = wanted.key,
                                     .value = record,
                                     .create_revision = version->create_revision,
                                     .mod_revision = wanted.revision});
    return {};
  }

  void MoveTo(const std::string& key) {
    const Slice target(key);
    for (int step = 0; step < kSteps && it_->Valid(); ++step) {
      const int order = it_->key().compare(target);
      found_ = order == 0;
      if (order >= 0) return;
      it_->Next();
    }
    it_->Seek(target);
    found_ = it_->Valid() && it_->key() == target;
  }

  const WantedVersions& wanted_;
  Receiver& receiver_;
  const std::unique_ptr<::rocksdb::Iterator> it_;
  bool found_ = false;
};

}  // namespace

void WantedVersions::Add(Revision revision, std::string_view key) {
  places_.push_back({.revision = revision,
                     .key_at = keys_.size(),
                     .key_size = static_cast<uint32_t>(key.size()),
                     .position = static_cast<uint32_t>(places_.size())});
  keys_.append(key);
}

WantedVersions::Wanted WantedVersions::operator[](size_t i) const {
  const Place& place = places_[i];
  return {place.revision, std::string_view(keys_).substr(place.key_at, place.key_size), place.position};
}

// Keys came in order, so their numbers say which of two with the same revision is first in the log.
void WantedVersions::Sort() {
  std::ranges::sort(places_, {},
                    [](const Place& place) { return std::pair(place.revision, place.position); });
}

Result<void> ReadVersions(Database& database, const ::rocksdb::ReadOptions& options, WantedVersions wanted,
                          Receiver& receiver) {
  wanted.Sort();
  std::atomic<size_t> next{0};
  base::Mutex mu;
  Result<void> result;
  const auto work = [&] {
    ShareReader reader(database, options, wanted, receiver);
    for (;;) {
      const size_t first = next.fetch_add(kShare, std::memory_order_relaxed);
      if (first >= wanted.size()) return;
      auto read = reader.Read(first, std::min(first + kShare, wanted.size()));
      if (read) continue;
      next.store(wanted.size(), std::memory_order_relaxed);
      base::MutexLock lock(mu);
      if (result) result = std::move(read);
      return;
    }
  };
  const size_t shares = (wanted.size() + kShare - 1) / kShare;
  const size_t threads =
      std::min<size_t>(shares, std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads));
  std::vector<std::jthread> others;
  while (others.size() + 1 < threads) others.emplace_back(work);
  if (threads > 0) work();
  others.clear();
  return result;
}

}  // namespace keelson::storage

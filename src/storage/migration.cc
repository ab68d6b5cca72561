#include "storage/migration.h"

#include <utility>
#include <vector>

#include "base/sync_wait.h"

namespace keelson::storage {
namespace {

using base::Err;

constexpr size_t kPage = 500;
// Below what etcd takes in one transaction by default: 128 operations, 1.5 MiB.
constexpr size_t kMaxWrites = 100;
constexpr size_t kMaxBytes = 512 << 10;

class Migrator {
 public:
  Migrator(Backend& source, Backend& target, const MigrationOptions& options)
      : source_(source), target_(target), options_(options), end_(PrefixEnd(options.prefix)) {}

  Result<MigrationProgress> Run() {
    auto there = target_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true});
    if (!there) return Err(std::move(there.error()));
    if (there->count > 0 && !options_.resume)
      return Err(Error{.code = Code::kExists,
                       .detail = "the target holds " + std::to_string(there->count) + " keys already"});
    if (auto copied = Pass(); !copied) return Err(std::move(copied.error()));
    const MigrationProgress copied = progress_;
    progress_ = {.verifying = true};
    if (auto verified = Pass(); !verified) return Err(std::move(verified.error()));
    return copied;
  }

 private:
  // Walks both in the order of keys, one page of the source at a time.
  Result<void> Pass() {
    std::string start = options_.prefix;
    RangeOptions range{.limit = kPage};
    for (;;) {
      auto page = source_.Range(start, end_, range);
      if (!page) return Err(std::move(page.error()));
      if (range.revision == 0) {
        range.revision = page->revision;
        progress_.total = page->count;
        range.counted = false;
      }
      const bool last = !page->more || page->items.empty();
      std::string stop = last ? end_ : page->items.back().key + '\0';
      if (auto matched = Match(start, stop, page->items); !matched) return matched;
      if (auto flushed = Flush(); !flushed) return flushed;
      options_.progress(progress_);
      if (last) return {};
      start = std::move(stop);
    }
  }

  // Makes the target between `start` and `stop` hold `items`.
  Result<void> Match(const std::string& start, const std::string& stop, const std::vector<KeyValue>& items) {
    auto there = target_.Range(start, stop, {});
    if (!there) return Err(std::move(there.error()));
    auto other = there->items.begin();
    for (const KeyValue& item : items) {
      if (other != there->items.end() && other->key < item.key) break;
      const bool present = other != there->items.end() && other->key == item.key;
      const bool same = present && other->value.view() == item.value.view();
      if (present) ++other;
      ++progress_.compared;
      if (same) continue;
      if (progress_.verifying)
        return Err(Error{.code = Code::kCorrupt, .detail = "differs after copying", .key = item.key});
      if (auto added = Add(item); !added) return added;
    }
    if (other == there->items.end()) return {};
    return Err(Error{
        .code = Code::kExists, .detail = "the target holds what the source does not", .key = other->key});
  }

  Result<void> Add(const KeyValue& item) {
    LeaseId lease = 0;
    if (item.lease != 0) {
      if (lease_ == 0) {
        auto granted = base::SyncWait(target_.GrantLease(options_.lease_ttl));
        if (!granted) return Err(std::move(granted.error()));
        lease_ = *granted;
      }
      lease = lease_;
    }
    const size_t size = item.key.size() + item.value.size();
    if (batch_.writes.size() >= kMaxWrites || (!batch_.writes.empty() && batch_bytes_ + size > kMaxBytes)) {
      if (auto flushed = Flush(); !flushed) return flushed;
    }
    batch_.writes.push_back({.key = item.key, .value = item.value, .lease = lease});
    batch_bytes_ += size;
    return {};
  }

  Result<void> Flush() {
    if (batch_.writes.empty()) return {};
    progress_.written += static_cast<int64_t>(batch_.writes.size());
    progress_.bytes += static_cast<int64_t>(batch_bytes_);
    batch_bytes_ = 0;
    auto committed = base::SyncWait(target_.Commit(std::exchange(batch_, {})));
    if (!committed) return Err(std::move(committed.error()));
    return {};
  }

  Backend& source_;
  Backend& target_;
  const MigrationOptions& options_;
  const std::string end_;
  MigrationProgress progress_;
  Txn batch_;
  size_t batch_bytes_ = 0;
  LeaseId lease_ = 0;
};

}  // namespace

Result<MigrationProgress> Migrate(Backend& source, Backend& target, const MigrationOptions& options) {
  return Migrator(source, target, options).Run();
}

}  // namespace keelson::storage

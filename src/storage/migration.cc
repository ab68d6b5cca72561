#include "storage/migration.h"

#include <algorithm>
#include <atomic>
#include <thread>
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
// Transactions that only raise the revision: so many at a time, and so many before their history is dropped.
constexpr int kRaisers = 32;
constexpr Revision kRaisesPerCompaction = 50'000;
constexpr char kRaiseKey[] = "keelson/raised";

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
    auto newest = source_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true, .counted = false});
    if (!newest) return Err(std::move(newest.error()));
    if (auto raised = RaiseAbove(newest->revision, there->revision); !raised)
      return Err(std::move(raised.error()));
    if (auto copied = Pass(); !copied) return Err(std::move(copied.error()));
    MigrationProgress copied = progress_;
    progress_ = {.verifying = true};
    if (auto verified = Pass(); !verified) return Err(std::move(verified.error()));
    auto last = Forget();
    if (!last) return Err(std::move(last.error()));
    copied.source_revision = newest->revision;
    copied.target_revision = *last;
    return copied;
  }

 private:
  // Before anything is copied: no object may have a resourceVersion that the source has used.
  Result<void> RaiseAbove(Revision source, Revision target) {
    if (target > source) return {};
    auto jumped = base::SyncWait(target_.Jump(source + 1));
    if (jumped || jumped.error().code != Code::kInvalidOption) return jumped;
    if (source - target >= options_.most_raises) return {};
    while (target <= source) {
      options_.progress({.to_raise = source + 1 - target});
      const Revision last = std::min(source + 1, target + kRaisesPerCompaction);
      if (auto raised = RaiseByWriting(last - target); !raised) return raised;
      auto forgotten = Forget();
      if (!forgotten) return Err(std::move(forgotten.error()));
      target = *forgotten;
    }
    auto removed =
        base::SyncWait(target_.Commit({.writes = {{.type = Write::Type::kDelete, .key = kRaiseKey}}}));
    if (!removed) return Err(std::move(removed.error()));
    return {};
  }

  Result<void> RaiseByWriting(Revision times) {
    std::atomic<Revision> left = times;
    std::vector<Result<void>> results(kRaisers);
    std::vector<std::thread> raisers;
    for (Result<void>& result : results)
      raisers.emplace_back([&] {
        while (result && left.fetch_sub(1) > 0) {
          auto written = base::SyncWait(target_.Commit({.writes = {{.key = kRaiseKey}}}));
          if (!written) result = Err(std::move(written.error()));
        }
      });
    for (std::thread& raiser : raisers) raiser.join();
    for (Result<void>& result : results)
      if (!result) return std::move(result);
    return {};
  }

  // Nobody can go on from before the target's revision, which is returned.
  Result<Revision> Forget() {
    auto now = target_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true, .counted = false});
    if (!now) return Err(std::move(now.error()));
    auto compacted = base::SyncWait(target_.Compact(now->revision));
    if (!compacted && compacted.error().code != Code::kExpired) return Err(std::move(compacted.error()));
    return now->revision;
  }

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
      for (; other != there->items.end() && other->key < item.key; ++other)
        if (auto removed = Remove(*other); !removed) return removed;
      const bool present = other != there->items.end() && other->key == item.key;
      const bool same = present && other->value.view() == item.value.view();
      if (present) ++other;
      ++progress_.compared;
      if (same) continue;
      // With a lease it may have come to its end in the target.
      if (progress_.verifying && (present || item.lease == 0))
        return Err(Error{.code = Code::kCorrupt, .detail = "differs after copying", .key = item.key});
      if (auto added = Add(item); !added) return added;
    }
    for (; other != there->items.end(); ++other)
      if (auto removed = Remove(*other); !removed) return removed;
    return {};
  }

  // The target's key has no match. One with a lease was copied before the source's came to its end.
  Result<void> Remove(const KeyValue& other) {
    if (other.lease == 0)
      return Err(Error{
          .code = Code::kExists, .detail = "the target holds what the source does not", .key = other.key});
    return Append({.type = Write::Type::kDelete, .key = other.key});
  }

  Result<void> Add(const KeyValue& item) {
    if (item.lease == 0) return Append({.key = item.key, .value = item.value});
    auto lease = Lease();
    if (!lease) return Err(std::move(lease.error()));
    return Append({.key = item.key, .value = item.value, .lease = *lease});
  }

  // One for many keys, which has some of its time left.
  Result<LeaseId> Lease() {
    const auto now = options_.clock->SteadyNow();
    if (lease_ != 0 && now - granted_ < options_.lease_ttl / 2) return lease_;
    auto granted = base::SyncWait(target_.GrantLease(options_.lease_ttl));
    if (!granted) return granted;
    lease_ = *granted;
    granted_ = now;
    return lease_;
  }

  Result<void> Append(Write write) {
    const size_t size = write.key.size() + write.value.size();
    if (batch_.writes.size() >= kMaxWrites || (!batch_.writes.empty() && batch_bytes_ + size > kMaxBytes)) {
      if (auto flushed = Flush(); !flushed) return flushed;
    }
    batch_.writes.push_back(std::move(write));
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
  std::chrono::steady_clock::time_point granted_;
};

}  // namespace

Result<MigrationProgress> Migrate(Backend& source, Backend& target, const MigrationOptions& options) {
  return Migrator(source, target, options).Run();
}

}  // namespace keelson::storage

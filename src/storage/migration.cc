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
    auto there = TRY(target_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true}));
    if (there.count > 0 && !options_.resume)
      return Err(Error{.code = Code::kExists,
                       .detail = "the target holds " + std::to_string(there.count) + " keys already"});
    auto newest =
        TRY(source_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true, .counted = false}));
    TRY(RaiseAbove(newest.revision, there.revision));
    TRY(Pass());
    MigrationProgress copied = progress_;
    progress_ = {.verifying = true};
    TRY(Pass());
    auto last = TRY(Forget());
    copied.source_revision = newest.revision;
    copied.target_revision = last;
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
      TRY(RaiseByWriting(last - target));
      target = TRY(Forget());
    }
    TRY(base::SyncWait(target_.Commit({.writes = {{.type = Write::Type::kDelete, .key = kRaiseKey}}})));
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
    auto now = TRY(target_.Range(options_.prefix, end_, {.limit = 1, .keys_only = true, .counted = false}));
    auto compacted = base::SyncWait(target_.Compact(now.revision));
    if (!compacted && compacted.error().code != Code::kExpired) return Err(std::move(compacted.error()));
    return now.revision;
  }

  // Walks both in the order of keys, one page of the source at a time.
  Result<void> Pass() {
    std::string start = options_.prefix;
    RangeOptions range{.limit = kPage};
    for (;;) {
      auto page = TRY(source_.Range(start, end_, range));
      if (range.revision == 0) {
        range.revision = page.revision;
        progress_.total = page.count;
        range.counted = false;
      }
      const bool last = !page.more || page.items.empty();
      std::string stop = last ? end_ : page.items.back().key + '\0';
      TRY(Match(start, stop, page.items));
      TRY(Flush());
      options_.progress(progress_);
      if (last) return {};
      start = std::move(stop);
    }
  }

  // Makes the target between `start` and `stop` hold `items`.
  Result<void> Match(const std::string& start, const std::string& stop, const std::vector<KeyValue>& items) {
    auto there = TRY(target_.Range(start, stop, {}));
    auto other = there.items.begin();
    for (const KeyValue& item : items) {
      for (; other != there.items.end() && other->key < item.key; ++other) TRY(Remove(*other));
      const bool present = other != there.items.end() && other->key == item.key;
      const bool same = present && other->value.view() == item.value.view();
      if (present) ++other;
      ++progress_.compared;
      if (same) continue;
      // With a lease it may have come to its end in the target.
      if (progress_.verifying && (present || item.lease == 0))
        return Err(Error{.code = Code::kCorrupt, .detail = "differs after copying", .key = item.key});
      TRY(Add(item));
    }
    for (; other != there.items.end(); ++other) TRY(Remove(*other));
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
    auto lease = TRY(Lease());
    return Append({.key = item.key, .value = item.value, .lease = lease});
  }

  // One for many keys, which has some of its time left.
  Result<LeaseId> Lease() {
    const auto now = options_.clock->SteadyNow();
    if (lease_ != 0 && now - granted_ < options_.lease_ttl / 2) return lease_;
    lease_ = TRY(base::SyncWait(target_.GrantLease(options_.lease_ttl)));
    granted_ = now;
    return lease_;
  }

  Result<void> Append(Write write) {
    const size_t size = write.key.size() + write.value.size();
    if (batch_.writes.size() >= kMaxWrites || (!batch_.writes.empty() && batch_bytes_ + size > kMaxBytes))
      TRY(Flush());
    batch_.writes.push_back(std::move(write));
    batch_bytes_ += size;
    return {};
  }

  Result<void> Flush() {
    if (batch_.writes.empty()) return {};
    progress_.written += static_cast<int64_t>(batch_.writes.size());
    progress_.bytes += static_cast<int64_t>(batch_bytes_);
    batch_bytes_ = 0;
    TRY(base::SyncWait(target_.Commit(std::exchange(batch_, {}))));
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

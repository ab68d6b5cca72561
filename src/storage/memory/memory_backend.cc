#include "storage/memory/memory_backend.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <shared_mutex>
#include <utility>

#include "storage/embedded/embedded_backend.h"

namespace keelson::storage {
namespace {

// As etcd: an empty store is at revision 1, so that 0 can mean "none".
constexpr Revision kFirstRevision = 1;
constexpr size_t kEventsPerSweep = 1024;

struct Version {
  Revision revision = 0;
  Revision create_revision = 0;
  LeaseId lease = 0;
  bool deleted = false;
  base::Slice value;
};

// Nodes of std::map stay where they are: the log points to them.
using KeyMap = std::map<std::string, std::vector<Version>, std::less<>>;

// The version of a key as it was at `revision`; null: none, or deleted.
const Version* VersionAt(const std::vector<Version>& versions, Revision revision) {
  auto after = std::upper_bound(versions.begin(), versions.end(), revision,
                                [](Revision r, const Version& v) { return r < v.revision; });
  if (after == versions.begin()) return nullptr;
  const Version& version = *std::prev(after);
  return version.deleted ? nullptr : &version;
}

KeyValue ToKeyValue(const std::string& key, const Version& version, bool keys_only) {
  return {.key = key,
          .value = keys_only ? base::Slice() : version.value,
          .create_revision = version.create_revision,
          .mod_revision = version.revision,
          .lease = version.lease};
}

class MemoryEngine final : public Engine {
 public:
  Result<State> Load() override { return State{.current = kFirstRevision}; }

  // The commit thread is the only writer, so it reads without the lock.
  Result<std::optional<Head>> FindHead(std::string_view key) override {
    auto it = keys_.find(key);
    if (it == keys_.end()) return std::optional<Head>();
    const Version& newest = it->second.back();
    return std::optional<Head>({newest.create_revision, newest.revision, newest.lease, newest.deleted});
  }

  Result<std::vector<std::string>> KeysOf(LeaseId lease, size_t limit) override {
    std::vector<std::string> keys;
    auto it = attached_.find(lease);
    if (it == attached_.end()) return keys;
    for (std::string_view key : it->second) {
      if (keys.size() == limit) break;
      keys.emplace_back(key);
    }
    return keys;
  }

  Result<void> Write(const Batch& batch) override {
    std::unique_lock lock(mu_);
    for (const Mutation& mutation : batch.mutations) Apply(mutation);
    for (LeaseId id : batch.ended) attached_.erase(id);
    if (batch.compacted != 0) compacted_ = batch.compacted;
    return {};
  }

  Result<void> Recover(Revision) override { return {}; }
  Result<void> Health() const override { return {}; }
  Result<bool> Sweep() override;
  Result<std::unique_ptr<View>> OpenView() override;

 private:
  struct Event {
    Revision revision;
    KeyMap::iterator key;
  };
  class MemoryView;

  void Apply(const Mutation& mutation);
  void Forget(const Event& event);

  std::shared_mutex mu_;  // the commit thread writes under it, views hold it shared
  KeyMap keys_;
  std::deque<Event> log_;  // from the compacted revision on
  Revision compacted_ = 0;

  // The commit thread's own.
  std::map<LeaseId, std::set<std::string_view>> attached_;
};

void MemoryEngine::Apply(const Mutation& mutation) {
  const Change& change = mutation.change;
  auto it = keys_.try_emplace(std::string(change.key)).first;
  it->second.push_back({change.revision, change.create_revision, change.lease,
                        change.type == Write::Type::kDelete, change.value});
  log_.push_back({change.revision, it});
  if (mutation.previous_lease == change.lease) return;
  if (auto old = attached_.find(mutation.previous_lease); old != attached_.end())
    old->second.erase(it->first);
  if (change.lease != 0) attached_[change.lease].insert(it->first);
}

// Events before the compacted revision leave the log, and with each the versions of its
// key that can no longer be asked for. One at that very revision stays readable.
Result<bool> MemoryEngine::Sweep() {
  std::unique_lock lock(mu_);
  for (size_t i = 0; i < kEventsPerSweep; ++i) {
    if (log_.empty() || log_.front().revision >= compacted_) return false;
    Forget(log_.front());
    log_.pop_front();
  }
  return true;
}

void MemoryEngine::Forget(const Event& event) {
  // Only this key's newest event before the compaction has work to do; later events of
  // the key keep its node alive.
  auto& versions = event.key->second;
  auto keep = std::upper_bound(versions.begin(), versions.end(), compacted_,
                               [](Revision r, const Version& v) { return r < v.revision; });
  --keep;  // there is one: the event's own or a newer one
  if (keep->deleted && keep->revision < compacted_ && keep->revision == event.revision) ++keep;
  versions.erase(versions.begin(), keep);
  if (versions.empty()) keys_.erase(event.key);
}

class MemoryEngine::MemoryView final : public View {
 public:
  explicit MemoryView(MemoryEngine& engine) : engine_(engine), lock_(engine.mu_) {}

  Result<RangeResult> Range(std::string_view start, std::string_view end, Revision revision,
                            const RangeOptions& options) override {
    RangeResult result;
    const auto last = end.empty() ? engine_.keys_.end() : engine_.keys_.lower_bound(end);
    for (auto it = engine_.keys_.lower_bound(start); it != last; ++it) {
      if (!end.empty() && it->first >= end) break;  // start is not before end
      const Version* version = VersionAt(it->second, revision);
      if (!version) continue;
      ++result.count;
      if (options.limit != 0 && result.items.size() == options.limit) {
        result.more = true;
        if (!options.counted) break;
      } else {
        result.items.push_back(ToKeyValue(it->first, *version, options.keys_only));
      }
    }
    return result;
  }

  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override {
    auto it = engine_.keys_.find(key);
    if (it == engine_.keys_.end()) return std::optional<KeyValue>();
    const Version* version = VersionAt(it->second, revision);
    if (!version) return std::optional<KeyValue>();
    return std::optional<KeyValue>(ToKeyValue(it->first, *version, false));
  }

  Result<void> ReadLog(std::string_view prefix, Revision after, Revision last, const Sink& sink) override {
    auto it = std::upper_bound(engine_.log_.begin(), engine_.log_.end(), after,
                               [](Revision r, const Event& e) { return r < e.revision; });
    std::vector<Change> changes;
    for (; it != engine_.log_.end() && it->revision <= last; ++it) {
      if (!it->key->first.starts_with(prefix)) continue;
      const auto& versions = it->key->second;
      auto version = std::lower_bound(versions.begin(), versions.end(), it->revision,
                                      [](const Version& v, Revision r) { return v.revision < r; });
      changes.push_back({.type = version->deleted ? Write::Type::kDelete : Write::Type::kPut,
                         .key = it->key->first,
                         .value = version->value,
                         .create_revision = version->create_revision,
                         .revision = version->revision,
                         .lease = version->lease});
    }
    if (!changes.empty()) sink(changes);
    return {};
  }

 private:
  MemoryEngine& engine_;
  std::shared_lock<std::shared_mutex> lock_;
};

Result<std::unique_ptr<Engine::View>> MemoryEngine::OpenView() { return std::make_unique<MemoryView>(*this); }

}  // namespace

std::unique_ptr<Backend> OpenMemoryBackend(const MemoryOptions& options) {
  return std::move(*EmbeddedBackend::Open(std::make_unique<MemoryEngine>(), {.clock = options.clock}));
}

}  // namespace keelson::storage

#include "storage/cacher/cacher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "storage/cacher/cache_watcher.h"
#include "storage/cacher/history.h"
#include "storage/cacher/messages.h"
#include "storage/cacher/resource_version.h"

namespace keelson::storage {
namespace {

using base::Err;

// How many revisions the store is asked to remember for a client from before the window, at most and at
// least.
constexpr Revision kFurthestBack = 100'000;
constexpr Revision kLeastBack = 1'000;

Error NotFound(std::string key) { return {.code = Code::kNotFound, .key = std::move(key)}; }
Error Unreadable(std::string key) {
  return {.code = Code::kCorrupt, .detail = "stored bytes do not decode", .key = std::move(key)};
}
Error Aborted(std::shared_ptr<const api::Status> cause) {
  return {.code = Code::kAborted, .cause = std::move(cause)};
}

}  // namespace

Cacher::Cacher(const api::ResourceDesc& resource, Backend& backend, CacherOptions options)
    : backend_(backend),
      options_(std::move(options)),
      prefix_(options_.registry_prefix + std::string(resource.storage_prefix)),
      cache_(std::make_shared<WatchCache>(
          resource, WatchCache::Options{.prefix = prefix_,
                                        .log = options_.log,
                                        .trigger_fields = options_.trigger_fields,
                                        .delivered =
                                            [&backend, attached = attached_] {
                                              return attached->load(std::memory_order_acquire)
                                                         ? backend.CurrentRevision()
                                                         : Revision{0};
                                            },
                                        .clock = options_.clock})),
      writer_(backend, cache_->factory(), *options_.clock) {}

Result<std::unique_ptr<Cacher>> Cacher::Start(const api::ResourceDesc& resource, Backend& backend,
                                              CacherOptions options) {
  std::unique_ptr<Cacher> cacher(new Cacher(resource, backend, std::move(options)));
  // A feed that breaks at once is taken up by a worker, but not before this thread has done with it.
  {
    base::MutexLock lock(cacher->mu_);
    cacher->working_ = true;
  }
  TRY(cacher->Attach());
  base::MutexLock lock(cacher->mu_);
  cacher->working_ = false;
  if (cacher->repair_ != Repair::kNone) cacher->StartWorking();
  return cacher;
}

Cacher::~Cacher() {
  {
    base::MutexLock lock(mu_);
    stopping_ = true;
  }
  work_wanted_.NotifyAll();
  if (worker_.joinable()) worker_.join();
  attached_->store(false, std::memory_order_release);
  subscription_.reset();
}

// Loads, and follows from the revision of the load on: nothing is missed in between.
Result<void> Cacher::Attach() {
  history_ = backend_.History();
  auto revision = TRY(Load());
  return Follow(revision);
}

Result<void> Cacher::Follow(Revision after) {
  subscription_ = TRY(backend_.Subscribe(prefix_ + "/", after, *this));
  if (backend_.History() != history_)
    return Err(Error{.code = Code::kExpired, .detail = "the store has lost what was loaded"});
  base::MutexLock lock(mu_);
  // It may have broken already.
  if (repair_ != Repair::kNone) return {};
  lost_.store(false, std::memory_order_release);
  attached_->store(true, std::memory_order_release);
  return {};
}

Result<Revision> Cacher::Load() {
  auto revision = TRY(backend_.ReadAll(prefix_ + "/", *cache_, options_.load_page));
  cache_->FinishLoad(revision);
  base::MutexLock lock(mu_);
  known_ = 0;  // that was of the past, or of another store
  return revision;
}

void Cacher::OnChanges(std::span<const Change> changes, Revision revision) {
  cache_->Apply(changes, revision);
}

void Cacher::OnBroken(const Error& error) {
  const bool resume = error.code == Code::kUnreachable;
  base::Log(
      base::LogLevel::kWarning,
      resume ? "the feed of changes broke; taking it up again" : "the feed of changes broke; loading again",
      {{"prefix", prefix_}, {"error", error.detail}});
  Break(resume ? Repair::kResume : Repair::kLoad);
}

void Cacher::OnHistoryLost(const Error& error) {
  base::Log(base::LogLevel::kError, "what is cached is not what is stored any more; loading again",
            {{"prefix", prefix_}, {"error", error.detail}});
  {
    base::MutexLock lock(mu_);
    lost_.store(true, std::memory_order_release);
  }
  Break(Repair::kLoad);
}

void Cacher::Reload() { Break(Repair::kLoad); }

void Cacher::Break(Repair repair) {
  base::MutexLock lock(mu_);
  // While the feed was up, everything was delivered that the backend called current.
  if (attached_->load(std::memory_order_acquire)) known_ = cache_->complete();
  attached_->store(false, std::memory_order_release);
  if (repair == Repair::kLoad) cache_->Detach();
  repair_ = std::max(repair_, repair);
  StartWorking();
}

void Cacher::StartWorking() {
  work_wanted_.NotifyAll();
  if (working_ || stopping_) return;
  if (worker_.joinable()) worker_.join();  // it has come to its end
  working_ = true;
  worker_ = std::thread([this] { Work(); });
}

void Cacher::Work() {
  base::MutexLock lock(mu_);
  while (!stopping_ && (repair_ != Repair::kNone || !requests_.empty())) {
    if (repair_ != Repair::kNone) {
      RepairOnce();
      continue;
    }
    const auto requests = std::exchange(requests_, {});
    lock.Unlock();
    ExtendWindow(std::ranges::min(requests, {}, &Request::revision).revision);
    const Revision floor = cache_->Read().state->log.floor();
    for (const Request& request : requests) request.done.Set(request.revision >= floor);
    lock.Lock();
  }
  working_ = false;
  const auto left = std::exchange(requests_, {});
  lock.Unlock();
  for (const Request& request : left) request.done.Set(false);
}

void Cacher::RepairOnce() {
  const Repair repair = std::exchange(repair_, Repair::kNone);
  const Revision after = std::max(known_, cache_->complete());
  mu_.unlock();
  subscription_.reset();
  auto attached = repair == Repair::kResume ? Follow(after) : Attach();
  mu_.lock();
  if (attached) {
    if (repair == Repair::kLoad) no_history_before_ = 0;
    if (repair_ == Repair::kNone) return;
  } else {
    repair_ = attached.error().code == Code::kUnreachable ? std::max(repair_, repair) : Repair::kLoad;
    base::Log(base::LogLevel::kWarning, "the feed of changes cannot be taken up",
              {{"prefix", prefix_}, {"error", attached.error().detail}});
  }
  const auto deadline = std::chrono::steady_clock::now() + options_.reload_pause;
  while (!stopping_ && std::chrono::steady_clock::now() < deadline) work_wanted_.WaitUntil(mu_, deadline);
}

base::Task<bool> Cacher::ReachBack(Revision revision) {
  const Revision floor = cache_->Read().state->log.floor();
  if (revision >= floor) co_return true;
  if (revision < backend_.CompactedRevision() || floor - revision > kFurthestBack) co_return false;
  base::Completion<bool> done;
  {
    base::MutexLock lock(mu_);
    if (stopping_ || revision < no_history_before_) co_return false;
    requests_.push_back({revision, done});
    StartWorking();
  }
  co_return co_await done;
}

void Cacher::ExtendWindow(Revision wanted) {
  const Revision floor = cache_->Read().state->log.floor();
  if (wanted >= floor) return;
  // A little further than asked: others will come that are a little further behind.
  const Revision target =
      std::max({backend_.CompactedRevision(), std::min(wanted, floor - kLeastBack), Revision{0}});
  auto events = ReadHistory(backend_, cache_->factory(), target, floor, cache_->window_limit());
  if (events && cache_->Prepend(*events, target, floor)) return;
  base::Log(base::LogLevel::kInfo, "watches cannot go back further",
            {{"prefix", prefix_}, {"revision", floor}, {"why", events ? "no room" : events.error().detail}});
  base::MutexLock lock(mu_);
  no_history_before_ = std::max(no_history_before_, wanted + 1);
}

int64_t Cacher::Count() const { return static_cast<int64_t>(cache_->Read().state->objects.size()); }

Cacher::Stats Cacher::ReadStats() const {
  const CacheReading now = cache_->Read();
  const EventLogView& log = now.state->log;
  WatchCache::WatcherCounts& counts = cache_->watcher_counts();
  const bool empty = log.begin() == log.end();
  return {.objects = static_cast<int64_t>(now.state->objects.size()),
          .object_bytes = cache_->object_bytes(),
          .window_bytes = log.bytes(),
          .window_age = empty ? std::chrono::nanoseconds(0) : options_.clock->SteadyNow() - log.oldest(),
          .watchers = counts.watchers.load(std::memory_order_relaxed),
          .expired_watchers = counts.expired.load(std::memory_order_relaxed)};
}

Result<void> Cacher::CompareWithStore() const {
  SnapshotMap objects;
  Revision revision = 0;
  std::shared_ptr<const UnreadableKeys> unreadable;
  {
    const CacheReading now = cache_->Read();
    objects = now.state->objects;
    revision = now.revision;
    unreadable = now.state->unreadable;
  }
  SnapshotMap::Cursor cached(objects, {});
  const auto differs = [&](std::string_view key, const char* how) {
    return Err(Error{.code = Code::kCorrupt,
                     .detail = std::string(how) + ", as of revision " + std::to_string(revision),
                     .key = std::string(key)});
  };
  const auto known_unreadable = [&](const KeyValue& kv) {
    if (!unreadable) return false;
    const auto it = unreadable->find(kv.key);
    return it != unreadable->end() && it->second == kv.mod_revision;
  };
  const std::string end = PrefixEnd(prefix_ + "/");
  std::string start = prefix_ + "/";
  for (;;) {
    auto page = TRY(backend_.Range(
        start, end,
        {.revision = revision, .limit = options_.load_page, .keys_only = true, .counted = false}));
    for (const KeyValue& kv : page.items) {
      const Object* object = cached.get();
      if (object && object->key() < kv.key) return differs(object->key(), "cached and not stored");
      if (object && object->key() > kv.key) object = nullptr;
      if (object) cached.Advance();
      // Loading it again would not make it readable.
      if (known_unreadable(kv)) continue;
      if (!object) return differs(kv.key, "stored and not cached");
      if (object->revision() != kv.mod_revision) return differs(kv.key, "cached at another revision");
    }
    if (!page.more || page.items.empty()) break;
    start = page.items.back().key + '\0';
  }
  if (cached.get()) return differs(cached.get()->key(), "cached and not stored");
  return {};
}

base::Task<Result<void>> Cacher::WaitUntil(Revision revision) {
  if (cache_->complete() >= revision) co_return Result<void>();
  // What happens elsewhere in the store does not wake the cache.
  bool reached = (co_await backend_.CatchUp(revision)).has_value();
  if (reached) reached = co_await cache_->WaitUntil(revision);
  if (!reached)
    co_return Err(Error{
        .code = Code::kTooLarge, .detail = TooLarge(revision, CurrentRevision()), .revision = revision});
  co_return Result<void>();
}

base::Task<Result<void>> Cacher::Refresh() {
  if (backend_.shared()) CO_TRY(co_await backend_.CatchUp(0));
  if (attached_->load(std::memory_order_acquire)) co_return Result<void>();
  // The feed broke: what is loaded again is newer than what the backend has come to by now.
  const Revision newest = backend_.CurrentRevision();
  if (co_await cache_->WaitUntil(newest)) co_return Result<void>();
  co_return Err(Error{.code = Code::kUnreachable, .detail = "the cache of " + prefix_ + " is being loaded"});
}

base::Task<Result<ObjectPtr>> Cacher::Get(std::string key, GetOptions options) {
  const std::string& version = options.resource_version;
  if (version.empty() || version == "0") {
    if (!Serves(version.empty())) CO_TRY(co_await Refresh());
  } else {
    auto revision = ParseResourceVersion(version);
    if (!revision) co_return Err(InvalidOption(std::move(revision.error())));
    CO_TRY(co_await WaitUntil(*revision));
  }
  ObjectPtr object = cache_->Find(key);
  if (!object) co_return Err(NotFound(FullKey(key)));
  co_return object;
}

base::Task<Result<ObjectPtr>> Cacher::Create(std::string key, Draft draft,
                                             std::optional<std::chrono::seconds> ttl) {
  std::string full = FullKey(key);
  CO_TRY(CheckSize(full, draft.envelope.size(), nullptr));
  auto outcome = CO_TRY(co_await writer_.Put(full, std::move(draft), nullptr, ttl));
  if (!outcome.object) co_return Err(Error{.code = Code::kExists, .key = std::move(full)});
  co_return std::move(outcome.object);
}

Result<void> Cacher::CheckSize(std::string_view key, size_t stored, const Object* current) const {
  if (options_.max_object_bytes > 0 && stored > options_.max_object_bytes)
    return Err(Error{.code = Code::kTooBig,
                     .detail = "the object takes " + std::to_string(stored) + " bytes, and " +
                               std::to_string(options_.max_object_bytes) + " are allowed",
                     .key = std::string(key)});
  const size_t before = current ? current->bytes().size() : 0;
  if (options_.quota_bytes == 0 || stored <= before) return {};
  const auto after = static_cast<size_t>(std::max<int64_t>(cache_->object_bytes(), 0)) + stored - before;
  if (after <= options_.quota_bytes) return {};
  return Err(Error{.code = Code::kFull,
                   .detail = "the store keeps no more than " + std::to_string(options_.quota_bytes) +
                             " bytes of " + prefix_.substr(prefix_.rfind('/') + 1),
                   .key = std::string(key)});
}

Result<void> Cacher::Check(const Preconditions& preconditions, const Object* object,
                           std::string_view key) const {
  const auto failed = [&](std::string_view what, const std::string& wanted, const std::string& found) {
    std::string full = FullKey(key);
    std::string detail =
        "StorageError: invalid object, Code: 4, Key: " + full +
        ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + std::string(what) +
        " in precondition: " + wanted + ", " + std::string(what) + " in object meta: " + found;
    return Err(Error{.code = Code::kConflict, .detail = std::move(detail), .key = std::move(full)});
  };
  const std::string uid(object ? object->uid() : "");
  if (preconditions.uid && *preconditions.uid != uid) return failed("UID", *preconditions.uid, uid);
  const std::string version = object ? std::to_string(object->revision()) : "";
  if (preconditions.resource_version && *preconditions.resource_version != version)
    return failed("ResourceVersion", *preconditions.resource_version, version);
  return {};
}

// A refusal counts only if it is made of the newest object. Where others write too the cache's may
// be older: then it is made sure of, and if there is a newer one, asked again.
base::Task<Result<ObjectPtr>> Cacher::GuaranteedUpdate(std::string key, bool create_if_absent,
                                                       Preconditions preconditions, UpdateFn update) {
  bool fresh = Serves(/*newest=*/true);
  std::optional<Revision> refused_by;
  for (;;) {
    ObjectPtr current = cache_->Find(key);
    auto wanted = co_await Judge(key, create_if_absent, preconditions, current, update);
    const bool writes = wanted && !wanted->unchanged;
    if (!writes && !fresh) {
      CO_TRY(co_await Refresh());
      fresh = true;
      if (cache_->Find(key) != current) continue;
    }
    if (!wanted) co_return Err(std::move(wanted.error()));
    if (wanted->unchanged) co_return current;
    if (!wanted->remove) CO_TRY(CheckSize(FullKey(key), wanted->stored.envelope.size(), current.get()));
    auto outcome = CO_TRY(co_await (
        wanted->remove ? writer_.Delete(FullKey(key), current)
                       : writer_.Put(FullKey(key), std::move(wanted->stored), current, wanted->ttl)));
    if (outcome.object) co_return std::move(outcome.object);
    CO_TRY(co_await WaitUntil(outcome.revision));
    // What refused it may be gone again. But if it is in the store and not in a cache that has seen
    // everything, trying again would never end.
    const bool again = std::exchange(refused_by, outcome.refused_by) == outcome.refused_by;
    if (again && cache_->Find(key) == current) co_return Err(Unreadable(FullKey(key)));
  }
}

// What is to become of `current`: `update`'s word, within the preconditions.
base::Task<Result<Update>> Cacher::Judge(std::string_view key, bool create_if_absent,
                                         const Preconditions& preconditions, ObjectPtr current,
                                         const UpdateFn& update) {
  if (!current && !create_if_absent) co_return Err(NotFound(FullKey(key)));
  CO_TRY(Check(preconditions, current.get(), key));
  auto wanted = co_await update(current);
  if (!wanted) co_return Err(Aborted(std::move(wanted.error())));
  if (wanted->remove && !current) co_return Err(NotFound(FullKey(key)));
  co_return std::move(*wanted);
}

base::Task<Result<ObjectPtr>> Cacher::Delete(std::string key, Preconditions preconditions,
                                             DeleteCheckFn check) {
  const auto judge = [&](const Object* current) -> Result<void> {
    if (!current) return Err(NotFound(FullKey(key)));
    TRY(Check(preconditions, current, key));
    if (!check) return {};
    if (auto allowed = check(*current); !allowed) return Err(Aborted(std::move(allowed.error())));
    return {};
  };
  bool fresh = Serves(/*newest=*/true);
  std::optional<Revision> refused_by;
  for (;;) {
    ObjectPtr current = cache_->Find(key);
    auto allowed = judge(current.get());
    if (!allowed && !fresh) {
      CO_TRY(co_await Refresh());
      fresh = true;
      if (cache_->Find(key) != current) continue;
    }
    if (!allowed) co_return Err(std::move(allowed.error()));
    auto outcome = CO_TRY(co_await writer_.Delete(FullKey(key), current));
    if (outcome.object) co_return std::move(outcome.object);
    CO_TRY(co_await WaitUntil(outcome.revision));
    // What refused it may be gone again. But if it is in the store and not in a cache that has seen
    // everything, trying again would never end.
    const bool again = std::exchange(refused_by, outcome.refused_by) == outcome.refused_by;
    if (again && cache_->Find(key) == current) co_return Err(Unreadable(FullKey(key)));
  }
}

base::Task<Result<std::unique_ptr<Watcher>>> Cacher::Watch(WatchOptions options) {
  auto after = ParseResourceVersion(options.resource_version);
  if (!after) co_return Err(InvalidOption(std::move(after.error())));
  CacheWatcher::Start start;
  // Unset and "0" mean "from now, but first tell me what there is", unless the client
  // has said that it does not want that: a match rule comes only with such a word.
  start.initial = options.send_initial_events || (*after == 0 && options.match == VersionMatch::kUnset);
  start.initial_bookmark = options.send_initial_events && options.allow_bookmarks;
  if (options.send_initial_events && *after > 0) {
    auto fresh = co_await WaitUntil(*after);
    if (!fresh) co_return FailedWatcher(std::move(fresh.error()));
  } else if (!Serves(options.send_initial_events && options.resource_version.empty())) {
    auto fresh = co_await Refresh();
    if (!fresh) co_return FailedWatcher(std::move(fresh.error()));
  }
  start.from = cache_->Read();
  if (!start.initial && *after > start.from.revision) {
    // Another server may have told the client of a version that is on its way to this cache. One that does
    // not come is of another store, or of a future that was lost: the client must list again, and 410 is what
    // every client does that on.
    auto reached = co_await WaitUntil(*after);
    if (!reached)
      co_return FailedWatcher({.code = Code::kExpired, .detail = std::move(reached.error().detail)});
    start.from = cache_->Read();
  }
  if (!start.initial && *after > 0 && *after < start.from.state->log.floor()) {
    if (co_await ReachBack(*after)) start.from = cache_->Read();
  }
  if (!start.initial) {
    start.after = *after == 0 ? start.from.revision : *after;
    const Revision floor = start.from.state->log.floor();
    if (start.after < floor)
      co_return FailedWatcher({.code = Code::kExpired, .detail = TooOldForWatch(start.after, floor)});
  }
  std::unique_ptr<Watcher> watcher =
      std::make_unique<CacheWatcher>(cache_, std::move(options.ns), std::move(options.selection), start);
  co_return std::move(watcher);
}

}  // namespace keelson::storage

#include "storage/cacher/watch_cache.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/log.h"

namespace keelson::storage {
namespace {

// Where the indexed fields are among the selectable ones.
std::vector<size_t> IndexedFields(const api::ResourceDesc& resource) {
  std::vector<size_t> indexes;
  for (std::string_view name : resource.indexed_fields) {
    auto it = std::ranges::find(resource.selectable_fields, name);
    if (it != resource.selectable_fields.end())
      indexes.push_back(static_cast<size_t>(it - resource.selectable_fields.begin()));
  }
  return indexes;
}

// The same objects in order of the field; those that have the same text in it stay in the order they are in.
// Texts are few: only they are compared, each object is put behind the others of its text.
std::vector<ObjectPtr> InOrderOf(size_t field, std::span<const ObjectPtr> objects) {
  std::unordered_map<std::string_view, size_t> groups;
  std::vector<std::string_view> texts;  // by group
  std::vector<size_t> ends;             // by group: first how many, then where the next one goes
  std::vector<uint32_t> group_of(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    const auto [at, is_new] = groups.try_emplace(objects[i]->field(field), texts.size());
    if (is_new) {
      texts.push_back(at->first);
      ends.push_back(0);
    }
    group_of[i] = static_cast<uint32_t>(at->second);
    ++ends[at->second];
  }
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t group) { return texts[group]; });
  size_t begin = 0;
  for (size_t group : order) begin += std::exchange(ends[group], begin);
  std::vector<ObjectPtr> ordered(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) ordered[ends[group_of[i]]++] = objects[i];
  return ordered;
}

}  // namespace

WatchCache::WatchCache(const api::ResourceDesc& resource, std::shared_ptr<const ObjectFactory> factory,
                       WatchCacheOptions options)
    : factory_(std::move(factory)),
      namespaced_(resource.namespaced),
      key_offset_(factory_->prefix().size() + 1),
      clock_(*options.clock),
      delivered_(std::move(options.delivered)),
      metrics_(options.metrics),
      objects_(SnapshotMap(MapOrder{.prefix_size = key_offset_})),
      log_(options.log, IndexedFields(resource)),
      state_(new CacheState()) {
  FinishLoad(0);
}

void WatchCache::StartOver() {
  loading_.clear();
  unreadable_.clear();
  unreadable_changed_ = true;
}

void WatchCache::Take(size_t position, const StoredView& stored) {
  auto object =
      factory_->Make(stored.key, stored.value, stored.create_revision, stored.mod_revision, stored.seal);
  if (!object) {
    base::MutexLock lock(loading_mu_);
    return NoteUnreadable(object.error());
  }
  loading_[position] = std::move(*object);
}

void WatchCache::FinishLoad(Revision revision) {
  loads_.fetch_add(1, std::memory_order_acq_rel);
  std::vector<ObjectPtr> objects = std::exchange(loading_, {});
  std::erase(objects, nullptr);
  counted_bytes_ = 0;
  for (const ObjectPtr& object : objects) CountBytes(nullptr, object.get());
  indexes_.clear();
  for (size_t field : log_.trigger_fields())
    indexes_.emplace_back(SnapshotMap({.prefix_size = key_offset_, .field = static_cast<int>(field)},
                                      InOrderOf(field, objects)));
  objects_ = SnapshotMapEditor(SnapshotMap({.prefix_size = key_offset_}, std::move(objects)));
  {
    base::MutexLock lock(log_mu_);
    log_.Reset(objects_.Snapshot(), revision);
    Publish(revision);
  }
  sleepers_.RingAll();  // everyone finds out that its position is gone
  waiters_->Wake(revision);
}

void WatchCache::Close() {
  closed_.store(true, std::memory_order_release);
  sleepers_.RingAll();
}

void WatchCache::Apply(std::span<const Change> changes, Revision revision) {
  const auto now = clock_.SteadyNow();
  alarms_.clear();
  base::MutexLock lock(log_mu_);
  const uint64_t first = log_.end();
  for (const Change& change : changes) {
    if (log_.NeedsSegment()) log_.StartSegment(objects_.Snapshot(), now);
    EventPtr event = MakeEvent(change);
    if (!event) continue;
    if (change.tag) change.tag->OnObject(*event->object);
    const uint64_t seq = log_.end();
    ForEachTrigger(*event, log_.trigger_fields(),
                   [&](TriggerId trigger) { alarms_.push_back({trigger, seq}); });
    log_.Append(std::move(event), now);
  }
  if (log_.end() != first || unreadable_changed_) {
    log_.Trim(now);
    Publish(revision);
    sleepers_.Ring(alarms_, log_.end());
  } else {
    complete_.store(revision, std::memory_order_release);
  }
  if (metrics_ && !changes.empty()) metrics_->Received(changes.size(), log_.end() - first, revision);
  waiters_->Wake(revision);
}

// Changes the map and says what happened; null when nothing did.
EventPtr WatchCache::MakeEvent(const Change& change) {
  auto* event = new Event();
  EventPtr holder(event);
  event->revision = change.revision;
  if (change.type == Write::Type::kDelete) {
    if (change.key.size() <= key_offset_) return nullptr;
    NoteReadable(change.key);
    event->type = EventType::kDeleted;
    event->previous = objects_.Erase({change.key.substr(key_offset_), {}});
    if (!event->previous) return nullptr;
    CountBytes(event->previous.get(), nullptr);
    event->object = factory_->AtRevision(*event->previous, change.revision);
    Index(event->previous.get(), nullptr);
    return holder;
  }
  const bool known = change.tag && !change.tag->in_memory().empty();
  const std::string_view stored = known ? change.tag->in_memory().view() : change.value.view();
  auto object = factory_->Make(change.key, stored, change.create_revision, change.revision, change.seal);
  if (!object) {
    NoteUnreadable(object.error());
    return nullptr;
  }
  NoteReadable(change.key);
  event->object = std::move(*object);
  event->previous = objects_.Put(event->object);
  event->type = event->previous ? EventType::kModified : EventType::kAdded;
  CountBytes(event->previous.get(), event->object.get());
  Index(event->previous.get(), event->object);
  return holder;
}

void WatchCache::NoteUnreadable(const Error& error) {
  base::Log(base::LogLevel::kError, "stored object does not decode and is not served",
            {{"key", error.key}, {"revision", error.revision}, {"error", error.detail}});
  unreadable_.insert_or_assign(error.key, error.revision);
  unreadable_changed_ = true;
}

void WatchCache::NoteReadable(std::string_view key) {
  if (unreadable_.empty()) return;
  const auto it = unreadable_.find(key);
  if (it == unreadable_.end()) return;
  unreadable_.erase(it);
  unreadable_changed_ = true;
}

bool WatchCache::Prepend(std::span<const EventPtr> events, Revision floor, Revision from) {
  EventLogView log;
  {
    const base::Reading<CacheState> now = state_.Read();
    log = now->log;
  }
  if (log.floor() != from) return false;
  auto prefix = log_.MakePrefix(log, events, floor, clock_.SteadyNow());
  base::MutexLock lock(log_mu_);
  if (!log_.Prepend(std::move(prefix))) return false;
  PublishLog();
  return true;
}

void WatchCache::ForgetOld() {
  base::MutexLock lock(log_mu_);
  if (!log_.HasOld(clock_.SteadyNow())) return;
  SnapshotMap objects;
  {
    const base::Reading<CacheState> now = state_.Read();
    objects = now->objects;
  }
  if (log_.ForgetOld(objects, clock_.SteadyNow())) PublishLog();
}

// The editors are the feeder's: only the log is new.
void WatchCache::PublishLog() {
  auto* state = new CacheState();
  {
    const base::Reading<CacheState> now = state_.Read();
    state->revision = now->revision;
    state->objects = now->objects;
    state->indexes = now->indexes;
    state->unreadable = now->unreadable;
  }
  state->log = log_.View();
  state_.Replace(state);
}

void WatchCache::CountBytes(const Object* previous, const Object* object) {
  if (previous) counted_bytes_ -= static_cast<int64_t>(previous->bytes().size());
  if (object) counted_bytes_ += static_cast<int64_t>(object->bytes().size());
}

void WatchCache::Index(const Object* previous, const ObjectPtr& object) {
  for (SnapshotMapEditor& index : indexes_) {
    const SnapshotMap& map = index.current();
    if (previous && (!object || map.PositionOf(*previous) != map.PositionOf(*object)))
      index.Erase(map.PositionOf(*previous));
    if (object) index.Put(object);
  }
}

void WatchCache::Publish(Revision revision) {
  auto* state = new CacheState();
  state->revision = revision;
  state->objects = objects_.Snapshot();
  state->indexes.reserve(indexes_.size());
  for (SnapshotMapEditor& index : indexes_) state->indexes.push_back(index.Snapshot());
  state->log = log_.View();
  if (std::exchange(unreadable_changed_, false))
    published_unreadable_ =
        unreadable_.empty() ? nullptr : std::make_shared<const UnreadableKeys>(unreadable_);
  state->unreadable = published_unreadable_;
  state_.Replace(state);
  newest_change_.store(revision, std::memory_order_release);
  object_bytes_.store(counted_bytes_, std::memory_order_relaxed);
  complete_.store(revision, std::memory_order_release);
}

// What is complete is asked first: the state taken afterwards cannot lack any of it.
CacheReading WatchCache::Read() const {
  const Revision known = complete();
  CacheReading reading{.state = state_.Read()};
  reading.revision = std::max(known, reading.state->revision);
  return reading;
}

ObjectPtr WatchCache::Find(std::string_view key) const {
  return ObjectPtr(state_.Read()->objects.Find({key, {}}));
}

base::Task<bool> WatchCache::WaitUntil(Revision revision) {
  if (complete() >= revision) co_return true;
  co_return co_await waiters_->WaitUntil(revision);
}

}  // namespace keelson::storage

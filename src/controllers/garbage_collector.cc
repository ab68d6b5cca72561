#include "controllers/garbage_collector.h"

#include <algorithm>

#include "base/log.h"

namespace keelson::controllers {
namespace {

using api::meta_v1::ObjectMetaEditor;
using api::meta_v1::OwnerReferenceView;
using client::Propagation;

// As many share commits; more would hold up the loop, which serves requests too. An edit takes
// several times as long as a deletion.
constexpr size_t kParallel = 256, kParallelEdits = 64;

// Somebody else was quicker: there is nothing left to do, or an event will tell.
bool IsOvertaken(const api::Status& status) { return status.code == 404 || status.code == 409; }

bool RemoveOwners(ObjectMetaEditor metadata, const std::vector<std::string>& uids) {
  api::ListNode& owners = metadata.mutable_owner_references();
  bool changed = false;
  for (size_t i = owners.size; i-- > 0;) {
    const OwnerReferenceView owner(owners.items()[i].node());
    if (std::ranges::find(uids, owner.uid()) == uids.end()) continue;
    owners.Erase(i);
    changed = true;
  }
  return changed;
}

bool UnblockOwners(ObjectMetaEditor metadata) {
  bool changed = false;
  for (auto owner : metadata.edit_owner_references()) {
    if (!owner.block_owner_deletion()) continue;
    owner.set_block_owner_deletion(false);
    changed = true;
  }
  return changed;
}

}  // namespace

GarbageCollector::GarbageCollector(const client::Client& client, base::Executor& loop,
                                   const RemoteResources* remote)
    : objects_(client, loop, remote),
      queue_(loop, [this](std::string uid) { return Process(std::move(uid)); },
             {.parallel = kParallel, .first_retry = kFirstRetry, .max_retry = kMaxRetry}) {}

void GarbageCollector::Start() {
  active_ = true;
  queue_.Start();
  objects_.Watch(
      {.see = [this](const ObjectChange& change) { OnChange(change); }, .missed = [this] { LookAtAll(); }});
}

void GarbageCollector::Stop() {
  active_ = false;
  objects_.StopWatching();
  graph_ = OwnerGraph();
  present_.clear();
  queue_.Stop();
  work_.clear();
}

// ---- what the event logs tell

void GarbageCollector::OnChange(const ObjectChange& change) {
  if (change.gone) return OnGone(change.uid);
  // An owner that waits for this object may wait no longer: the reference may be gone, or
  // no longer block.
  WakeOwnersOf(change.uid);
  const std::vector<std::string> added = graph_.Set(change);
  if (change.ownership.AwaitsDependents()) return Enqueue(change.Ref());
  if (change.ownership.deleting) return;
  if (!std::ranges::all_of(added, [this](const std::string& uid) { return IsSettled(uid); }))
    Enqueue(change.Ref(), true);
}

bool GarbageCollector::IsSettled(std::string_view owner) const {
  if (!present_.contains(owner)) return false;
  const OwnerGraph::Node* const node = graph_.Find(owner);
  return !(node && node->deleting_dependents);
}

void GarbageCollector::LookAtAll() {
  present_.clear();
  graph_.ForEach([this](const OwnerGraph::Node& node) { Enqueue(node.object); });
}

void GarbageCollector::OnGone(std::string_view uid) {
  WakeOwnersOf(uid);
  graph_.Remove(uid);
  if (const auto it = present_.find(uid); it != present_.end()) present_.erase(it);
  for (const OwnerGraph::Node* dependent : graph_.DependentsOf(uid)) Enqueue(dependent->object);
}

void GarbageCollector::WakeOwnersOf(std::string_view uid) {
  const OwnerGraph::Node* const node = graph_.Find(uid);
  if (!node) return;
  for (const OwnerGraph::Edge& edge : node->owners)
    if (const OwnerGraph::Node* owner = graph_.Find(edge.owner); owner && owner->deleting_dependents)
      Enqueue(owner->object);
}

// ---- the queue

void GarbageCollector::Enqueue(const ObjectRef& object, bool new_owners) {
  if (!active_) return;
  Work& work = work_.try_emplace(object.uid, Work{object}).first->second;
  (new_owners ? work.new_owners : work.must_look) = true;
  queue_.Add(object.uid);
}

base::Task<bool> GarbageCollector::Process(std::string uid) {
  const auto begun = work_.find(uid);
  if (begun == work_.end()) co_return true;
  // A sibling has found the owners meanwhile; at a start most have one.
  const OwnerGraph::Node* const node = begun->second.must_look ? nullptr : graph_.Find(uid);
  if (node && std::ranges::all_of(node->owners, [this](const auto& edge) { return IsSettled(edge.owner); })) {
    work_.erase(begun);
    co_return true;
  }
  begun->second.must_look = false;
  const bool new_owners = std::exchange(begun->second.new_owners, false);
  const ObjectRef object = begun->second.object;
  const Outcome outcome = co_await Collect(object, new_owners);
  if (!active_) co_return true;
  if (outcome) {
    const auto done = work_.find(uid);
    if (done != work_.end() && !done->second.new_owners && !done->second.must_look) work_.erase(done);
    co_return true;
  }
  Work& failed = work_.try_emplace(uid, Work{object}).first->second;
  failed.new_owners = failed.new_owners || new_owners;
  failed.must_look = true;
  base::Log(base::LogLevel::kDebug, "cannot collect yet",
            {{"namespace", object.ns}, {"name", object.name}, {"why", outcome.error().message}});
  co_return false;
}

// ---- one object

base::Task<GarbageCollector::Outcome> GarbageCollector::Collect(const ObjectRef& object, bool new_owners) {
  const auto read = CO_TRY(co_await objects_.Get(object));
  if (!read || read->uid != object.uid) {
    OnGone(object.uid);
    co_return Outcome();
  }
  const ObjectState& state = *read;
  if (state.ownership.deleting) {
    if (state.ownership.orphans) co_return co_await FinishOrphaning(object);
    if (state.ownership.foreground) co_return co_await FinishForeground(object);
    co_return Outcome();
  }
  if (state.ownership.owners.empty()) co_return Outcome();

  const auto owners = CO_TRY(co_await Classify(object, state, new_owners));
  if (owners.unknown) co_return Outcome();
  if (owners.kept) {
    std::vector<std::string> useless = owners.absent;
    useless.insert(useless.end(), owners.going.begin(), owners.going.end());
    if (useless.empty()) co_return Outcome();
    co_return co_await DropOwners(object, useless);
  }
  co_return co_await DeleteUnowned(object, state, owners);
}

base::Task<client::Result<GarbageCollector::Owners>> GarbageCollector::Classify(const ObjectRef& object,
                                                                                const ObjectState& state,
                                                                                bool new_owners) {
  Owners owners;
  for (const api::OwnerReference& owner : state.ownership.owners) {
    const auto resource = objects_.Resolve(owner.api_version, owner.kind);
    // Of a kind that is not served (yet), or one that a cluster-wide object cannot name: no
    // reason to delete anything.
    if (!resource || (resource->namespaced && object.ns.empty())) {
      base::Log(base::LogLevel::kDebug, "the owner cannot be looked up",
                {{"namespace", object.ns}, {"name", object.name}, {"kind", owner.kind}});
      owners.unknown = true;
      if (resource && new_owners) co_await ReportMisplaced(object, owner, *resource);
      continue;
    }
    const auto read =
        CO_TRY(co_await objects_.Get({resource->index, resource->namespaced ? object.ns : std::string(),
                                      std::string(owner.name), std::string(owner.uid)}));
    if (!read || read->uid != owner.uid) {
      owners.absent.emplace_back(owner.uid);
      if (resource->namespaced && new_owners) co_await ReportMisplaced(object, owner, *resource);
    } else if (read->ownership.deleting && read->ownership.foreground) {
      owners.going.emplace_back(owner.uid);
    } else {
      owners.kept = true;
      present_.emplace(owner.uid);
    }
  }
  co_return owners;
}

base::Task<void> GarbageCollector::ReportMisplaced(const ObjectRef& object, const api::OwnerReference& owner,
                                                   CollectedObjects::Resource resource) {
  const bool exists =
      co_await objects_.ExistsAnywhere(resource.index, std::string(owner.name), std::string(owner.uid));
  if (!exists) co_return;
  std::string identity = "[";
  identity.append(owner.api_version).append("/").append(owner.kind);
  identity.append(", namespace: ").append(object.ns);
  identity.append(", name: ").append(owner.name).append(", uid: ").append(owner.uid).append("]");
  co_await objects_.Warn(object, "OwnerRefInvalidNamespace",
                         "ownerRef " + identity + " does not exist in namespace \"" + object.ns + "\"");
}

base::Task<GarbageCollector::Outcome> GarbageCollector::DropOwners(const ObjectRef& object,
                                                                   const std::vector<std::string>& uids) {
  auto edited =
      co_await objects_.EditMetadata(object, [&uids](ObjectMetaEditor m) { return RemoveOwners(m, uids); });
  if (!edited && edited.error().code == 404) co_return Outcome();
  co_return edited;
}

base::Task<GarbageCollector::Outcome> GarbageCollector::DeleteUnowned(const ObjectRef& object,
                                                                      const ObjectState& state,
                                                                      const Owners& owners) {
  auto propagation = Propagation::kBackground;
  std::string version = state.resource_version;
  if (!owners.going.empty() && graph_.CountDependents(object.uid) > 0) {
    propagation = Propagation::kForeground;
    // A ring of owners, all going in the foreground, would wait for itself.
    const bool ring =
        std::ranges::any_of(graph_.DependentsOf(object.uid), &OwnerGraph::Node::deleting_dependents);
    if (ring) {
      CO_TRY(co_await objects_.EditMetadata(object, UnblockOwners));
      version.clear();
    }
  } else if (state.ownership.orphans) {
    propagation = Propagation::kOrphan;
  } else if (state.ownership.foreground) {
    propagation = Propagation::kForeground;
  }
  auto deleted = co_await objects_.Delete(object, std::move(version), propagation);
  if (deleted || deleted.error().code == 404) co_return Outcome();
  co_return deleted;
}

base::Task<GarbageCollector::Outcome> GarbageCollector::FinishForeground(const ObjectRef& object) {
  // Dependents that were made before this moment must count.
  objects_.CatchUp();
  // Those that come later are looked at when they come.
  if (graph_.MarkSwept(object.uid)) {
    for (const OwnerGraph::Node* dependent : graph_.DependentsOf(object.uid))
      if (!dependent->deleting_dependents) Enqueue(dependent->object);
  }
  if (graph_.CountBlocking(object.uid) > 0) co_return Outcome();
  co_return co_await RemoveFinalizer(object, api::kForegroundFinalizer);
}

// Workers take the next dependent until none is left; all of them run on one loop. A
// failure is no reason to leave the others: the owner is tried again for those that are left.
struct GarbageCollector::Orphaning {
  std::string owner;  // uid
  std::vector<ObjectRef> dependents;
  size_t next = 0;
  size_t running = 0;
  Outcome outcome;
  base::Completion<bool> done;
};

base::Task<void> GarbageCollector::OrphanItems(std::shared_ptr<Orphaning> work) {
  const std::vector<std::string> uids = {work->owner};
  while (work->next < work->dependents.size()) {
    const ObjectRef& dependent = work->dependents[work->next++];
    auto dropped = co_await DropOwners(dependent, uids);
    if (!dropped) work->outcome = std::move(dropped);
  }
  if (--work->running == 0) work->done.Set(true);
}

base::Task<GarbageCollector::Outcome> GarbageCollector::FinishOrphaning(const ObjectRef& object) {
  objects_.CatchUp();
  // The graph changes while this waits: what is to be changed is noted first.
  auto work = std::make_shared<Orphaning>(Orphaning{.owner = object.uid});
  for (const OwnerGraph::Node* dependent : graph_.DependentsOf(object.uid))
    work->dependents.push_back(dependent->object);
  work->running = std::min(kParallelEdits, work->dependents.size());
  for (size_t i = work->running; i > 0; --i) base::Spawn(OrphanItems(work));
  if (!work->dependents.empty()) co_await work->done;
  if (!work->outcome) co_return work->outcome;
  co_return co_await RemoveFinalizer(object, api::kOrphanFinalizer);
}

base::Task<GarbageCollector::Outcome> GarbageCollector::RemoveFinalizer(const ObjectRef& object,
                                                                        std::string_view finalizer) {
  auto edited = co_await objects_.EditMetadata(object, [finalizer](ObjectMetaEditor metadata) {
    api::ListNode& finalizers = metadata.mutable_finalizers();
    bool changed = false;
    for (size_t i = finalizers.size; i-- > 0;) {
      if (finalizers.items()[i].string() != finalizer) continue;
      finalizers.Erase(i);
      changed = true;
    }
    return changed;
  });
  if (!edited && IsOvertaken(edited.error())) co_return Outcome();
  co_return edited;
}

}  // namespace keelson::controllers

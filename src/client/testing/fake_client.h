// FakeClient: objects in memory, for tests of what uses a Client. Nothing is validated or admitted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "api/validation/testing/json_doc.h"
#include "base/mutex.h"
#include "client/client.h"
#include "storage/object_factory.h"

namespace keelson::client {

// The objects of one resource. Follows the rules of deletion: finalizers hold an object, and the last one
// that goes lets it go. Watches are woken while a change is made.
//
// Threads: any for what a Client does; the rest is for the test's own.
class FakeResource final : public storage::Interface {
 public:
  explicit FakeResource(const api::ResourceDesc& resource)
      : desc(resource), factory_(resource, "/registry") {}

  // ---- as another client does it

  void Put(std::string_view json) { Put("", api::testing::DocFromJson(json, *desc.type)); }
  void Put(const std::string& ns, api::Doc doc) {
    base::MutexLock lock(mu_);
    Store({ns, std::string(api::MetadataOf(doc).name())}, std::move(doc));
  }
  void Remove(const std::string& ns, const std::string& name) {
    base::MutexLock lock(mu_);
    Erase(objects_.find({ns, name}));
  }
  // Null: there is none.
  const api::Doc* Find(const std::string& ns, const std::string& name) const {
    base::MutexLock lock(mu_);
    const auto it = objects_.find({ns, name});
    return it == objects_.end() ? nullptr : &it->second.doc;
  }
  std::vector<std::string> Names() const {
    base::MutexLock lock(mu_);
    std::vector<std::string> names;
    for (const auto& [key, stored] : objects_) names.push_back(key.second);
    return names;
  }
  // Every watch that is open, or will be opened on what is here now, fails to see what happened so far.
  void LoseEvents() {
    base::MutexLock lock(mu_);
    floor_ = first_ + events_.size();
    for (FakeWatchStream* const watcher : watchers_) watcher->Wake();
  }

  // As a cache whose feed is down, or up again.
  void SetFollows(bool follows) {
    base::MutexLock lock(mu_);
    follows_ = follows;
    if (follows)
      for (FakeWatchStream* const watcher : watchers_) watcher->Wake();
  }
  // As a cache that has read everything anew.
  void Reload() {
    {
      base::MutexLock lock(mu_);
      ++loads_;
    }
    LoseEvents();
  }

  // ---- what a test may set and look at

  bool fails = false;                     // gets and writes
  int failing_deletes = 0;                // so many
  base::Executor* takes_turns = nullptr;  // an update waits for a turn of it
  std::function<void()> before_write;
  int writes = 0, reads = 0, lists = 0;
  int edits = 0, most_edits = 0;                             // at the same time
  std::vector<std::string> applied;                          // configurations, which change nothing here
  std::vector<std::pair<std::string, Propagation>> deleted;  // by Delete and DeleteAll
  const api::ResourceDesc& desc;

  // ---- storage::Interface, as far as informers use it

  base::Task<storage::Result<std::unique_ptr<storage::WatchStream>>> Watch(WatchOptions options) override {
    base::MutexLock lock(mu_);
    auto watcher = std::make_unique<FakeWatchStream>(*this, options.ns);
    watcher->loads = loads_;
    if (options.resource_version.empty() || options.resource_version == "0") {
      for (const auto& [key, stored] : objects_)
        if (watcher->Wants(*stored.object))
          watcher->initial.push_back({.type = storage::EventType::kAdded, .object = stored.object});
      watcher->next = first_ + events_.size();
    } else {
      const Revision after = std::stoll(options.resource_version);
      watcher->next = first_ + events_.size();
      while (watcher->next > first_ && events_[watcher->next - 1 - first_].revision > after) --watcher->next;
    }
    watchers_.push_back(watcher.get());
    co_return std::unique_ptr<storage::WatchStream>(std::move(watcher));
  }
  int64_t Count() const override { return static_cast<int64_t>(Names().size()); }
  Revision CurrentRevision() const override {
    base::MutexLock lock(mu_);
    return revision_;
  }
  bool Follows() const override {
    base::MutexLock lock(mu_);
    return follows_;
  }
  uint64_t Loads() const override {
    base::MutexLock lock(mu_);
    return loads_;
  }
  base::Task<storage::Result<ObjectPtr>> Create(std::string, storage::Draft,
                                                storage::CreateOptions) override {
    return Unused<ObjectPtr>();
  }
  base::Task<storage::Result<ObjectPtr>> Get(std::string, storage::GetOptions) override {
    return Unused<ObjectPtr>();
  }
  base::Task<storage::Result<ListResult>> List(ListOptions) override { return Unused<ListResult>(); }
  base::Task<storage::Result<ObjectPtr>> GuaranteedUpdate(std::string, bool, storage::ChangeOptions,
                                                          storage::UpdateFn) override {
    return Unused<ObjectPtr>();
  }
  base::Task<storage::Result<ObjectPtr>> Delete(std::string, storage::ChangeOptions,
                                                storage::DeleteCheckFn) override {
    return Unused<ObjectPtr>();
  }

 private:
  friend class FakeClient;
  using Key = std::pair<std::string, std::string>;  // namespace, name
  struct Stored {
    api::Doc doc;
    ObjectPtr object;
  };
  using Objects = std::map<Key, Stored>;

  class FakeWatchStream final : public storage::WatchStream {
   public:
    FakeWatchStream(FakeResource& resource, std::string ns) : resource_(resource), ns_(std::move(ns)) {}
    ~FakeWatchStream() override {
      base::MutexLock lock(resource_.mu_);
      std::erase(resource_.watchers_, this);
    }
    bool Wants(const Object& object) const { return ns_.empty() || object.ns() == ns_; }
    void Wake() {
      if (waker_) waker_();
    }
    State Poll(size_t limit, std::vector<WatchEvent>& out) override {
      base::MutexLock lock(resource_.mu_);
      if (next < resource_.floor_ || loads != resource_.loads_) return State::kEnd;
      for (; limit > 0 && !initial.empty(); --limit, initial.pop_front()) out.push_back(initial.front());
      for (; limit > 0 && next < resource_.first_ + resource_.events_.size(); ++next) {
        const WatchEvent& event = resource_.events_[next - resource_.first_];
        if (!Wants(*event.object)) continue;
        out.push_back(event);
        --limit;
      }
      return out.empty() ? State::kSleep : State::kMore;
    }
    void SetWaker(std::function<void()> waker) override { waker_ = std::move(waker); }
    Revision position() const override { return resource_.CurrentRevision(); }

    std::deque<WatchEvent> initial;
    size_t next = 0;
    uint64_t loads = 0;  // when it was opened

   private:
    FakeResource& resource_;
    const std::string ns_;
    std::function<void()> waker_;
  };

  template <class T>
  static base::Task<storage::Result<T>> Unused() {
    co_return base::Err(
        storage::Error{.code = storage::Code::kUnreachable, .detail = "not part of the fake"});
  }

  ObjectPtr MakeObject(const Key& key, const api::Doc& doc) const REQUIRES_LOCK(mu_) {
    base::BufferBuilder out;
    api::protobuf::EncodeObject(doc, out);
    const std::string path = "/registry/" +
                             (desc.namespaced ? (key.first.empty() ? "default" : key.first) + "/" : "") +
                             key.second;
    auto object = factory_.Make(path, out.view(), revision_, revision_);
    EXPECT_TRUE(object) << object.error().detail;
    return *std::move(object);
  }
  void Store(const Key& key, api::Doc doc) REQUIRES_LOCK(mu_) {
    ++revision_;
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_resource_version(std::to_string(revision_));
    const bool goes = metadata.has_deletion_timestamp() && metadata.finalizers().empty();
    ObjectPtr object = MakeObject(key, doc);
    const auto [it, added] = objects_.insert_or_assign(key, Stored{std::move(doc), object});
    if (goes) return Erase(it);
    Tell({.type = added ? storage::EventType::kAdded : storage::EventType::kModified,
          .object = std::move(object),
          .revision = revision_});
  }
  void Erase(Objects::iterator it) REQUIRES_LOCK(mu_) {
    ASSERT_TRUE(it != objects_.end());
    WatchEvent event{
        .type = storage::EventType::kDeleted, .object = it->second.object, .revision = ++revision_};
    objects_.erase(it);
    Tell(std::move(event));
  }
  void Tell(WatchEvent event) REQUIRES_LOCK(mu_) {
    events_.push_back(std::move(event));
    for (FakeWatchStream* const watcher : watchers_) watcher->Wake();
  }

  const storage::ObjectFactory factory_;
  mutable base::Mutex mu_;
  Objects objects_ GUARDED_BY(mu_);
  Revision revision_ GUARDED_BY(mu_) = 0;
  bool follows_ GUARDED_BY(mu_) = true;
  uint64_t loads_ GUARDED_BY(mu_) = 0;
  std::deque<WatchEvent> events_ GUARDED_BY(mu_);
  size_t first_ GUARDED_BY(mu_) = 0, floor_
                                     GUARDED_BY(mu_) = 0;  // of events_, and that watches must not be below
  std::vector<FakeWatchStream*> watchers_ GUARDED_BY(mu_);
};

class FakeClient : public Client {
 public:
  // kOne: namespaces are ignored, all that is asked for is in the same.
  enum class Namespaces : uint8_t { kMany, kOne };
  explicit FakeClient(Namespaces namespaces = Namespaces::kMany) : namespaces_(namespaces) {}

  // Made when first asked for; only then is the resource served.
  FakeResource& At(std::string_view group, std::string_view plural) {
    auto& resource = resources_[KeyOf(group, plural)];
    if (!resource) resource = std::make_unique<FakeResource>(Describe(group, plural));
    return *resource;
  }
  // A custom resource; borrowed.
  FakeResource& Serve(const api::ResourceDesc& desc) {
    auto& resource = resources_[KeyOf(desc.group, desc.plural)];
    resource = std::make_unique<FakeResource>(desc);
    const SourcePtr source = Find({desc.group, desc.plural});
    for (const SourceObserver& see : observers_) see(source, nullptr);
    return *resource;
  }
  void Add(std::string_view group, std::string_view plural, std::string_view json) {
    At(group, plural).Put(json);
  }
  void Unserve(std::string_view group, std::string_view plural) {
    const SourcePtr was = Find({group, plural});
    auto resource = std::move(resources_[KeyOf(group, plural)]);
    resources_.erase(KeyOf(group, plural));
    for (const SourceObserver& see : observers_) see(nullptr, was);
    gone_.push_back(std::move(resource));
  }

  SourcePtr Find(Resource resource) const override {
    FakeResource* const found = Lookup(resource);
    if (!found) return nullptr;
    SourcePtr& source = sources_[found];
    if (!source) {
      auto made = std::make_shared<Source>();
      made->desc = &found->desc;
      made->storage = found;
      source = std::move(made);
    }
    return source;
  }
  bool Serves(const api::ResourceDesc& version) const override { return !hidden_.contains(&version); }
  // That version of a resource is not served.
  void Hide(const api::ResourceDesc& version) { hidden_.insert(&version); }
  std::vector<SourcePtr> Sources() const override {
    std::vector<SourcePtr> all;
    for (const auto& [key, resource] : resources_)
      all.push_back(Find({resource->desc.group, resource->desc.plural}));
    return all;
  }
  void ObserveSources(SourceObserver see) const override { observers_.push_back(std::move(see)); }

  base::Task<Result<ObjectPtr>> GetObject(Resource resource, std::string ns, std::string name,
                                          Fresh) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return ObjectPtr();
    base::MutexLock lock(at->mu_);
    ++at->reads;
    if (at->fails) co_return base::Err(OutOfReach());
    const auto it = at->objects_.find({In(ns), name});
    if (it == at->objects_.end()) co_return ObjectPtr();
    co_return it->second.object;
  }
  base::Task<Result<std::optional<api::Doc>>> Get(Resource resource, std::string ns, std::string name,
                                                  Fresh) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return std::nullopt;
    base::MutexLock lock(at->mu_);
    ++at->reads;
    if (at->fails) co_return base::Err(OutOfReach());
    const auto it = at->objects_.find({In(ns), name});
    if (it == at->objects_.end()) co_return std::nullopt;
    co_return std::optional(it->second.doc.Clone());
  }
  base::Task<Result<Docs>> List(Resource resource, std::string ns) const override {
    std::vector<api::Doc> docs;
    if (FakeResource* const at = Lookup(resource)) {
      base::MutexLock lock(at->mu_);
      for (const auto& [key, stored] : at->objects_)
        if (IsIn(key, ns)) docs.push_back(stored.doc.Clone());
    }
    co_return std::make_shared<const std::vector<api::Doc>>(std::move(docs));
  }
  base::Task<Result<ListResult>> ListObjects(Resource resource, ListOptions options) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    base::MutexLock lock(at->mu_);
    ++at->lists;
    auto held = std::make_shared<storage::HeldObjects>();
    ListResult list{.revision = at->revision_};
    for (const auto& [key, stored] : at->objects_) {
      if (!IsIn(key, options.ns) || !options.selection.Matches(*stored.object)) continue;
      if (options.limit > 0 && list.items.size() == static_cast<size_t>(options.limit)) break;
      list.items.push_back(stored.object.get());
      held->objects.push_back(stored.object);
    }
    list.holder = std::move(held);
    co_return list;
  }
  base::Task<Result<int64_t>> Count(Resource resource, std::string ns) const override {
    const auto list = CO_TRY(co_await ListObjects(resource, {.ns = std::move(ns)}));
    co_return static_cast<int64_t>(list.items.size());
  }
  base::Task<Result<std::unique_ptr<WatchStream>>> Watch(Resource resource,
                                                         WatchOptions options) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    auto stream = co_await at->Watch(std::move(options));
    co_return *std::move(stream);
  }

  base::Task<Result<Written>> Create(Resource resource, std::string ns, api::Doc doc) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    if (at->before_write) at->before_write();
    base::MutexLock lock(at->mu_);
    if (at->fails) co_return base::Err(OutOfReach());
    const FakeResource::Key key{In(ns), std::string(api::MetadataOf(doc).name())};
    if (at->objects_.contains(key)) co_return base::Err(api::AlreadyExists({"", "things"}, key.second));
    ++at->writes;
    api::MutableMetadataOf(doc).set_creation_timestamp(1);
    at->Store(key, std::move(doc));
    co_return Written{std::to_string(at->revision_)};
  }
  base::Task<Result<Written>> Update(Resource resource, std::string ns, std::string name, Edit edit,
                                     std::string uid) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    if (at->takes_turns) {
      at->most_edits = std::max(at->most_edits, ++at->edits);
      const base::Completion<bool> turn;
      at->takes_turns->Post([turn] { turn.Set(true); });
      co_await turn;
      --at->edits;
    }
    if (at->before_write) at->before_write();
    for (;;) {
      api::Doc doc;
      {
        base::MutexLock lock(at->mu_);
        if (at->fails) co_return base::Err(OutOfReach());
        const auto it = at->objects_.find({In(ns), name});
        if (it == at->objects_.end()) co_return base::Err(api::NotFound({"", "things"}, name));
        doc = it->second.doc.Clone();
      }
      if (!uid.empty() && api::MetadataOf(doc).uid() != uid)
        co_return base::Err(api::Conflict({"", "things"}, name, "another uid"));
      const std::string read(api::MetadataOf(doc).resource_version());
      if (!edit(doc)) co_return Written{read};
      base::MutexLock lock(at->mu_);
      const auto it = at->objects_.find({In(ns), name});
      if (it == at->objects_.end() || api::MetadataOf(it->second.doc).resource_version() != read) continue;
      if (api::Equal(it->second.doc.root(), doc.root())) co_return Written{read};  // as the store does
      ++at->writes;
      at->Store({In(ns), name}, std::move(doc));
      co_return Written{std::to_string(at->revision_)};
    }
  }
  base::Task<Result<Written>> Replace(Resource resource, api::Doc doc) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    const auto metadata = api::MetadataOf(doc);
    const FakeResource::Key key{In(std::string(metadata.namespace_())), std::string(metadata.name())};
    if (at->before_write) at->before_write();
    base::MutexLock lock(at->mu_);
    const auto it = at->objects_.find(key);
    if (it == at->objects_.end()) co_return base::Err(api::NotFound({"", "things"}, key.second));
    if (api::MetadataOf(it->second.doc).resource_version() != metadata.resource_version())
      co_return base::Err(api::Conflict({"", "things"}, key.second, "changed"));
    ++at->writes;
    at->Store(key, std::move(doc));
    co_return Written{std::to_string(at->revision_)};
  }
  base::Task<Result<Written>> Apply(Resource resource, std::string, std::string,
                                    std::string config) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    at->applied.push_back(std::move(config));
    co_return Written{};
  }
  base::Task<Result<void>> Delete(Resource resource, std::string ns, std::string name,
                                  DeleteOptions options) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    base::MutexLock lock(at->mu_);
    if (at->failing_deletes > 0) {
      --at->failing_deletes;
      co_return base::Err(api::InternalError("disk full"));
    }
    const auto it = at->objects_.find({In(ns), name});
    if (it == at->objects_.end()) co_return base::Err(api::NotFound({"", "things"}, name));
    const auto metadata = api::MetadataOf(it->second.doc);
    if ((!options.uid.empty() && metadata.uid() != options.uid) ||
        (!options.resource_version.empty() && metadata.resource_version() != options.resource_version))
      co_return base::Err(api::Conflict({"", "things"}, name, "changed"));
    MarkDeleted(*at, it, options.propagation);
    co_return Result<void>();
  }
  base::Task<Result<int64_t>> DeleteAll(Resource resource, std::string ns,
                                        Propagation propagation) const override {
    FakeResource* const at = Lookup(resource);
    if (!at) co_return base::Err(NotServed(resource));
    base::MutexLock lock(at->mu_);
    if (at->failing_deletes > 0) {
      --at->failing_deletes;
      co_return base::Err(api::InternalError("disk full"));
    }
    std::vector<FakeResource::Key> keys;
    for (const auto& [key, stored] : at->objects_)
      if (IsIn(key, ns)) keys.push_back(key);
    for (const auto& key : keys) MarkDeleted(*at, at->objects_.find(key), propagation);
    co_return static_cast<int64_t>(keys.size());
  }

 private:
  static std::string KeyOf(std::string_view group, std::string_view plural) {
    return std::string(plural) + "." + std::string(group);
  }
  static const api::ResourceDesc& Describe(std::string_view group, std::string_view plural) {
    for (const api::ResourceDesc& desc : api::BuiltinResources())
      if (desc.group == group && desc.plural == plural) return api::StoredResource(desc);
    ADD_FAILURE() << "no resource " << plural << "." << group;
    return api::BuiltinResources().front();
  }
  static api::Status OutOfReach() { return api::InternalError("out of reach"); }
  static api::Status NotServed(Resource resource) {
    return api::GenericServerResponse(404, "", {resource.group, resource.plural}, "", "");
  }
  FakeResource* Lookup(Resource resource) const {
    const auto found = resources_.find(KeyOf(resource.group, resource.plural));
    return found == resources_.end() ? nullptr : found->second.get();
  }
  std::string In(std::string ns) const { return namespaces_ == Namespaces::kOne ? std::string() : ns; }
  bool IsIn(const FakeResource::Key& key, const std::string& ns) const {
    return ns.empty() || namespaces_ == Namespaces::kOne || key.first == ns;
  }
  static void MarkDeleted(FakeResource& at, FakeResource::Objects::iterator it, Propagation propagation)
      REQUIRES_LOCK(at.mu_) {
    at.deleted.emplace_back(it->first.second, propagation);
    api::Doc doc = it->second.doc.Clone();
    auto metadata = api::MutableMetadataOf(doc);
    metadata.set_deletion_timestamp(1);
    const auto hold = [&](std::string_view finalizer) {
      if (!api::HasFinalizer(metadata, finalizer)) metadata.add_finalizers(finalizer);
    };
    if (propagation == Propagation::kOrphan) hold("orphan");
    if (propagation == Propagation::kForeground) hold("foregroundDeletion");
    at.Store(it->first, std::move(doc));
  }

  const Namespaces namespaces_;
  std::map<std::string, std::unique_ptr<FakeResource>, std::less<>> resources_;
  std::set<const api::ResourceDesc*> hidden_;
  std::vector<std::unique_ptr<FakeResource>> gone_;
  mutable std::map<const FakeResource*, SourcePtr> sources_;
  mutable std::vector<SourceObserver> observers_;
};

}  // namespace keelson::client

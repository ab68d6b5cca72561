#include "extensions/crd/custom_resources.h"

#include <algorithm>

#include "base/log.h"
#include "base/sync_wait.h"
#include "client/definitions.h"

namespace keelson::extensions {
namespace {

using api::apiextensions_v1::CustomResourceDefinitionView;

using client::kDefinitions;

base::Slice BytesOf(const client::Object& object) {
  return base::Slice::Share(object.bytes(), client::ObjectPtr(&object));
}

bool IsTrue(CustomResourceDefinitionView definition, std::string_view type) {
  for (const auto condition : definition.status().conditions())
    if (condition.type() == type) return condition.status() == "True";
  return false;
}

// Whether there is something to serve. Once established, a resource stays so if its definition asks for names
// that are taken.
bool HasNames(CustomResourceDefinitionView definition) {
  return IsTrue(definition, "NamesAccepted") || IsTrue(definition, "Established");
}

}  // namespace

CustomResources::CustomResources(Options options)
    : options_(std::move(options)),
      definitions_(options_.client, kDefinitions, options_.loop),
      worker_(std::make_shared<Worker>()) {}

CustomResources::~CustomResources() = default;

// Storages go on the worker: that may have to wait for the store.
CustomResources::StoragePtr CustomResources::Open(std::shared_ptr<const CustomResource> resource,
                                                  bool terminating) const {
  const std::string name = resource->name();
  auto opened = CustomStorage::Open(std::move(resource), options_.storage);
  if (!opened) {
    base::Log(base::LogLevel::kError, "cannot serve a custom resource",
              {{"definition", name}, {"why", opened.error()}});
    return nullptr;
  }
  (*opened)->SetTerminating(terminating);
  return StoragePtr(opened->release(), [worker = worker_](CustomStorage* storage) {
    worker->Post([storage] { delete storage; });
  });
}

// On the worker, as all that comes later: what belongs to definitions then lies in memory of their own, which
// goes back when they are deleted. Among all that a server makes at its start it would not.
base::Result<void, std::string> CustomResources::Load() {
  using Loaded = base::Result<void, std::string>;
  const base::Completion<Loaded> loaded;
  worker_->Post([this, loaded] { loaded.Set(LoadAll()); });
  return base::SyncWait(
      [](base::Completion<Loaded> done) -> base::Task<Loaded> { co_return co_await done; }(loaded));
}

base::Result<void, std::string> CustomResources::LoadAll() {
  const auto definitions =
      base::SyncWait(options_.client.ListObjects(kDefinitions, {.resource_version = "0"}));
  if (!definitions)
    return base::Err("cannot read the definitions of custom resources: " + definitions.error().message);
  for (const client::Object* const object : definitions->items) {
    const auto outline = client::DecodeOutline(*object);
    if (!outline)
      return base::Err("cannot read the definition of a custom resource: " + outline.error().message);
    const CustomResourceDefinitionView definition(*outline);
    if (!HasNames(definition)) continue;
    auto resource =
        CustomResource::Make(*outline, BytesOf(*object), options_.make_rules, options_.storage.conversion);
    if (!resource) {
      base::Log(base::LogLevel::kError, "a definition makes no sense",
                {{"definition", definition.metadata().name()}, {"why", resource.error()}});
      continue;
    }
    Entry& entry = entries_[std::string(definition.metadata().name())];
    entry.storage = Open(*std::move(resource), IsTrue(definition, "Terminating"));
    if (IsTrue(definition, "Established")) entry.established = definition.metadata().uid();
    changed_.emplace(definition.metadata().name());
  }
  Publish();
  return {};
}

void CustomResources::Start() {
  running_ = true;
  definitions_.Start(client::Informer::Handler{
      .changed = [this](const client::Change& change) { Follow(std::string(change.object.name())); },
      .relisting =
          [this](bool again) {
            // Definitions may have gone meanwhile.
            if (!again) return;
            for (const std::string& name : Names()) Follow(name);
          }});
}

std::vector<std::string> CustomResources::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

void CustomResources::Follow(const std::string& name) {
  Entry& entry = entries_[name];
  entry.again = true;
  if (!entry.building) base::Spawn(Sync(name));
}

void CustomResources::FollowLater(const std::string& name) {
  Entry& entry = entries_[name];
  entry.pause = entry.pause.count() == 0 ? kFirstPause : std::min(2 * entry.pause, kLongestPause);
  if (std::exchange(entry.follows_later, true)) return;
  options_.loop.PostAfter(entry.pause, [this, name] {
    entries_[name].follows_later = false;
    if (running_) Follow(name);
  });
}

void CustomResources::Stop() {
  running_ = false;
  definitions_.Stop();
}

void CustomResources::Observe(Observer observer) {
  for (const auto& [name, entry] : entries_)
    if (entry.storage) observer(entry.storage, nullptr);
  observers_.push_back(std::move(observer));
}

CustomResources::StoragePtr CustomResources::Find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.storage;
}

std::vector<CustomResources::StoragePtr> CustomResources::All() const {
  std::vector<StoragePtr> all;
  for (const auto& [name, entry] : entries_)
    if (entry.storage) all.push_back(entry.storage);
  return all;
}

base::Task<client::Result<CustomResources::Outlined>> CustomResources::ReadOutline(std::string name) const {
  Outlined found;
  found.object = CO_TRY(co_await options_.client.GetObject(kDefinitions, "", name, client::Fresh::kNewest));
  if (found.object) found.outline = CO_TRY(client::DecodeOutline(*found.object));
  co_return std::move(found);
}

base::Task<void> CustomResources::Sync(std::string name) {
  {
    Entry& entry = entries_[name];
    if (entry.building) co_return;
    entry.building = true;
  }
  while (running_ && std::exchange(entries_[name].again, false)) {
    const auto found = co_await ReadOutline(name);
    if (!found) {
      base::Log(base::LogLevel::kWarning, "cannot read a definition",
                {{"definition", name}, {"why", found.error().message}});
      FollowLater(name);
      break;
    }
    entries_[name].pause = {};
    const auto& [object, outline] = *found;
    if (!object || !HasNames(CustomResourceDefinitionView(outline))) {
      Install(name, nullptr);
      continue;
    }
    const CustomResourceDefinitionView definition(outline);
    if (IsTrue(definition, "Established")) NoteEstablished(name, definition.metadata().uid());
    const bool terminating = IsTrue(definition, "Terminating");
    const StoragePtr current = entries_[name].storage;
    if (current && current->resource().key() == CustomResource::KeyOf(outline)) {
      current->resource().definition().Replace(BytesOf(*object));
      if (current->terminating() == terminating) continue;
      current->SetTerminating(terminating);
      changed_.insert(name);
      Publish();
      continue;
    }
    auto resource =
        CustomResource::Make(outline, BytesOf(*object), options_.make_rules, options_.storage.conversion);
    if (!resource) {
      base::Log(base::LogLevel::kError, "a definition makes no sense",
                {{"definition", name}, {"why", resource.error()}});
      Install(name, nullptr);
      continue;
    }
    base::Completion<StoragePtr> opened;
    worker_->Post(
        [this, opened, resource = *resource, terminating] { opened.Set(Open(resource, terminating)); });
    StoragePtr storage = co_await opened;
    Install(name, std::move(storage));
  }
  const auto entry = entries_.find(name);
  entry->second.building = false;
  if (!entry->second.storage && !entry->second.again && !entry->second.follows_later) entries_.erase(entry);
}

void CustomResources::Install(const std::string& name, StoragePtr storage) {
  Entry& entry = entries_[name];
  StoragePtr was = std::exchange(entry.storage, std::move(storage));
  if (entry.storage == was) return;
  replaced_.push_back({name, entry.storage, std::move(was)});
  changed_.insert(name);
  PublishSoon();
}

void CustomResources::NoteEstablished(std::string_view name, std::string_view uid) {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.established == uid) return;
  found->second.established = uid;
  changed_.emplace(name);
  PublishSoon();
}

void CustomResources::PublishSoon() {
  if (std::exchange(publishing_soon_, true)) return;
  options_.loop.PostAfter(kGather, [this] { Flush(); });
}

void CustomResources::Flush() {
  publishing_soon_ = false;
  const auto replaced = std::exchange(replaced_, {});
  const auto written = std::exchange(written_, {});
  Publish();
  Settle(written);
  for (const Replacement& r : replaced) {
    for (const Observer& observer : observers_) observer(r.now, r.was);
    if (r.was) r.was->Close();
  }
}

bool CustomResources::Entry::served() const { return storage && storage->resource().uid() == established; }

bool CustomResources::IsReady(std::string_view name, std::string_view uid) const {
  const StoragePtr storage = Find(name);
  return storage && storage->resource().uid() == uid;
}

void CustomResources::BeginEstablishing(std::string_view name) {
  base::MutexLock lock(mu_);
  establishing_[std::string(name)] = next_++;
  unsettled_.store(establishing_.size(), std::memory_order_release);
}

void CustomResources::EndEstablishing(std::string_view name, std::string_view uid, bool established) {
  if (!established) return Settle({std::string(name)});
  NoteEstablished(name, uid);
  written_.emplace_back(name);
  PublishSoon();
}

void CustomResources::Settle(const std::vector<std::string>& names) {
  std::vector<Waiter> settled;
  {
    base::MutexLock lock(mu_);
    for (const std::string& name : names) establishing_.erase(name);
    unsettled_.store(establishing_.size(), std::memory_order_release);
    uint64_t oldest = next_;
    for (const auto& [name, number] : establishing_) oldest = std::min(oldest, number);
    const auto waiting =
        std::ranges::partition(waiters_, [oldest](const Waiter& w) { return w.number > oldest; });
    settled.assign(waiting.begin(), waiting.end());
    waiters_.erase(waiting.begin(), waiting.end());
  }
  for (const Waiter& waiter : settled) waiter.settled.Set(true);
}

base::Task<void> CustomResources::Settled() {
  base::Completion<bool> settled;
  {
    base::MutexLock lock(mu_);
    if (establishing_.empty()) co_return;
    waiters_.push_back({next_, settled});
  }
  co_await settled;
}

void CustomResources::Publish() {
  std::vector<endpoints::CustomChange> served;
  std::vector<endpoints::openapi::CustomDescription> described;
  for (const std::string& name : std::exchange(changed_, {})) {
    auto& now = served.emplace_back(name);
    auto& words = described.emplace_back(name);
    const auto found = entries_.find(name);
    if (found == entries_.end() || !found->second.served()) continue;
    now.served = CustomStorage::Served(found->second.storage);
    words.versions = CustomStorage::Described(found->second.storage);
  }
  if (served.empty()) return;
  options_.publish(std::move(served));
  options_.describe(std::move(described));
}

}  // namespace keelson::extensions

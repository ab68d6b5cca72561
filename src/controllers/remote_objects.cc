#include "controllers/remote_objects.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace keelson::controllers {
namespace {

// What is kept of an object that neither has owners nor waits for dependents: that it is there.
RemoteObject Outline(const RemoteObject& object) {
  return {.ns = object.ns,
          .name = object.name,
          .uid = object.uid,
          .resource_version = object.resource_version,
          .ownership = {},
          .doc = nullptr};
}

bool IsOfInterest(const RemoteObject& object) {
  return !object.ownership.owners.empty() || object.ownership.AwaitsDependents();
}

}  // namespace

RemoteObjects::RemoteObjects(const RemoteResources& resources, base::Executor& loop)
    : resources_(resources),
      loop_(loop),
      queue_(loop, [this](std::string key) { return Sync(std::move(key)); },
             {.first_retry = kRefresh, .max_retry = kRefresh * 6}) {}

void RemoteObjects::Watch(Observer observer) {
  observer_ = std::move(observer);
  watching_ = ++watches_;
  queue_.Start();
  Refresh();
}

void RemoteObjects::StopWatching() {
  watching_ = 0;
  queue_.Stop();
  for (const auto& known : known_) known->objects.clear();
}

std::optional<uint32_t> RemoteObjects::Resolve(std::string_view group, std::string_view kind) {
  if (const auto known = FindKind(group, kind)) return known;
  Number();
  return FindKind(group, kind);
}

std::optional<uint32_t> RemoteObjects::FindKind(std::string_view group, std::string_view kind) const {
  for (uint32_t i = 0; i < known_.size(); ++i)
    if (known_[i]->served && known_[i]->resource.group == group && known_[i]->resource.kind == kind) return i;
  return std::nullopt;
}

const RemoteResource* RemoteObjects::Find(uint32_t resource) const {
  return known_[resource]->served ? &known_[resource]->resource : nullptr;
}

void RemoteObjects::Note(uint32_t resource, const RemoteObject& object) {
  if (watching_ != 0) known_[resource]->objects.try_emplace(object.uid, Outline(object));
}

void RemoteObjects::Number() {
  std::vector<bool> before;
  for (const auto& known : known_) before.push_back(std::exchange(known->served, false));
  bool appeared = false;
  for (RemoteResource& resource : resources_.All()) {
    auto known = std::ranges::find_if(known_, [&](const auto& k) {
      return k->resource.group == resource.group && k->resource.plural == resource.plural;
    });
    if (known == known_.end()) known = known_.insert(known_.end(), std::make_unique<Known>());
    const auto number = static_cast<size_t>(known - known_.begin());
    appeared = appeared || number >= before.size() || !before[number];
    (*known)->resource = std::move(resource);
    (*known)->served = true;
  }
  if (!appeared) return;
  loop_.Post([this, watch = watching_] {
    if (watch == watching_ && watching_ != 0) observer_.appeared();
  });
}

void RemoteObjects::Refresh() {
  Number();
  for (uint32_t i = 0; i < known_.size(); ++i)
    if (known_[i]->served) queue_.Add(std::to_string(i));
  loop_.PostAfter(kRefresh, [this, watch = watching_] {
    if (watch == watching_ && watching_ != 0) Refresh();
  });
}

base::Task<bool> RemoteObjects::Sync(std::string key) {
  const auto number = static_cast<uint32_t>(std::stoul(key));
  const uint64_t watch = watching_;
  if (!known_[number]->served) co_return true;
  auto listed = co_await resources_.List(known_[number]->resource, "");
  if (watch != watching_ || watching_ == 0) co_return true;
  if (!listed) {
    base::Log(base::LogLevel::kDebug, "objects of an aggregated API cannot be listed",
              {{"resource", known_[number]->resource.plural + "." + known_[number]->resource.group},
               {"why", listed.error().message}});
    co_return false;
  }
  auto before = std::exchange(known_[number]->objects, {});
  std::vector<const RemoteObject*> changed;
  for (RemoteObject& object : *listed) {
    if (object.uid.empty()) continue;  // nobody can refer to it, and it cannot be told from a later one
    const auto was = before.find(object.uid);
    const bool same = was != before.end() && was->second.resource_version == object.resource_version;
    if (was != before.end()) before.erase(was);
    RemoteObject kept = IsOfInterest(object) ? std::move(object) : Outline(object);
    std::string uid = kept.uid;
    const auto at = known_[number]->objects.insert_or_assign(std::move(uid), std::move(kept)).first;
    if (!same) changed.push_back(&at->second);
  }
  for (const RemoteObject* const object : changed) observer_.see(number, *object);
  for (const auto& [uid, object] : before) observer_.gone(number, object);
  co_return true;
}

}  // namespace keelson::controllers

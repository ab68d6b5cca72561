#include "controllers/namespace_content.h"

#include <algorithm>
#include <string_view>

#include "client/object.h"

namespace keelson::controllers {
namespace {

using client::EventType;
using client::WatchEvent;
using client::WatchStream;

constexpr size_t kEventsAtATime = 256;

bool IsCore(const client::Source& source, std::string_view plural) {
  return source.desc->group.empty() && source.desc->plural == plural;
}

// What lies in namespaces, pods first: what they use stays until they have ended.
std::vector<client::SourcePtr> NamespacedSources(const client::Client& client) {
  std::vector<client::SourcePtr> sources = client.Sources();
  std::erase_if(sources, [](const client::SourcePtr& source) { return !source->desc->namespaced; });
  std::ranges::stable_partition(sources, [](const auto& source) { return IsCore(*source, "pods"); });
  return sources;
}

// The name of the object of the resource that controllers make in every namespace.
std::string_view GivenName(const client::Source& source) {
  if (IsCore(source, "serviceaccounts")) return "default";
  if (IsCore(source, "configmaps")) return "kube-root-ca.crt";
  return "";
}

// Whether the server does not do what its discovery says, or has no such object: there is nothing to wait
// for, and whoever removed the resource must not hold namespaces for ever.
bool IsUnsupported(const api::Status& status) { return status.code == 404 || status.code == 405; }

}  // namespace

void NamespaceContent::Forget() {
  waits_.clear();
  looks_.clear();
}

// ---- changes

base::Task<NamespaceContent::Stir> NamespaceContent::LookForChanges(std::string ns) {
  const auto found = looks_.find(ns);
  if (found == looks_.end()) {
    Looks looks;
    for (const client::SourcePtr& source : NamespacedSources(client_)) co_await Follow(source, ns, looks);
    if (looks.empty()) co_return Stir::kEmpty;
    looks_[ns] = std::move(looks);
    co_return Stir::kBusy;
  }
  bool changed = false;
  for (Look& look : found->second) {
    std::vector<WatchEvent> events;
    look.stream->Poll(kEventsAtATime, events);
    changed = changed || std::ranges::any_of(events, [](const WatchEvent& event) {
                return event.type != EventType::kBookmark;
              });
  }
  co_return changed ? Stir::kBusy : Stir::kQuiet;
}

base::Task<void> NamespaceContent::Follow(client::SourcePtr source, const std::string& ns, Looks& looks) {
  // One more than what is given shows that there is something else.
  client::ListOptions some{.ns = ns, .limit = 2};
  const auto list = co_await client_.ListObjects(source->resource(), std::move(some));
  if (!list || list->items.empty()) co_return;
  if (list->items.size() == 1 && list->items.front()->name() == GivenName(*source)) co_return;
  client::WatchOptions from_here{.ns = ns, .resource_version = std::to_string(list->revision)};
  auto stream = co_await client_.Watch(source->resource(), std::move(from_here));
  if (!stream) co_return;
  (*stream)->SetWaker([] {});  // it is polled
  looks.push_back({std::move(source), *std::move(stream)});
}

// ---- deletion

base::Task<NamespaceRemains> NamespaceContent::Delete(std::string ns) {
  waits_.erase(ns);
  looks_.erase(ns);
  NamespaceRemains remains;
  // A failure of one resource is no reason to leave the others.
  for (const client::SourcePtr& source : NamespacedSources(client_)) {
    co_await Empty(source, ns, remains);
    if (IsCore(*source, "pods") && !remains.empty()) co_return remains;
  }
  if (!remote_) co_return remains;
  for (const RemoteResource& resource : remote_->All())
    if (resource.namespaced) co_await EmptyRemote(resource, ns, remains);
  remains.undiscovered = remote_->Unknown();
  co_return remains;
}

base::Task<void> NamespaceContent::EmptyRemote(RemoteResource resource, const std::string& ns,
                                               NamespaceRemains& remains) {
  const auto left = co_await DeleteRemote(resource, ns, remains);
  if (!left) {
    remains.failures.push_back(left.error().message);
  } else if (*left > 0) {
    remains.remaining[resource.plural + "." + resource.group] = *left;
  }
}

base::Task<client::Result<std::vector<RemoteObject>>> NamespaceContent::ListRemote(RemoteResource resource,
                                                                                   const std::string& ns) {
  auto listed = co_await remote_->List(std::move(resource), ns);
  if (!listed && IsUnsupported(listed.error())) co_return std::vector<RemoteObject>();
  co_return std::move(listed);
}

base::Task<client::Result<void>> NamespaceContent::DeleteEachRemote(RemoteResource resource,
                                                                    const std::string& ns) {
  const auto listed = CO_TRY(co_await ListRemote(resource, ns));
  for (const RemoteObject& object : listed) {
    const auto deleted = co_await remote_->Delete(resource, ns, object.name,
                                                  {.propagation = client::Propagation::kBackground});
    if (!deleted && !IsUnsupported(deleted.error())) co_return base::Err(deleted.error());
  }
  co_return client::Result<void>();
}

base::Task<client::Result<int64_t>> NamespaceContent::DeleteRemote(RemoteResource resource,
                                                                   const std::string& ns,
                                                                   NamespaceRemains& remains) {
  bool deleted = false;
  if (resource.deletes_collections) {
    const auto all = co_await remote_->DeleteAll(resource, ns);
    if (!all && !IsUnsupported(all.error())) co_return base::Err(all.error());
    deleted = all.has_value();
  }
  if (!deleted) CO_TRY(co_await DeleteEachRemote(resource, ns));
  const auto left = CO_TRY(co_await ListRemote(resource, ns));
  for (const RemoteObject& object : left)
    for (const std::string_view finalizer : object.ownership.finalizers)
      ++remains.finalizers[std::string(finalizer)];
  co_return static_cast<int64_t>(left.size());
}

base::Task<void> NamespaceContent::Empty(client::SourcePtr source, const std::string& ns,
                                         NamespaceRemains& remains) {
  const auto deleted = co_await client_.DeleteAll(source->resource(), ns, client::Propagation::kBackground);
  if (!deleted) {
    remains.failures.push_back(deleted.error().message);
    co_return;
  }
  if (*deleted == 0) co_return;
  const auto counted = co_await Count(std::move(source), ns, remains);
  if (!counted) remains.failures.push_back(counted.error().message);
}

base::Task<client::Result<void>> NamespaceContent::Count(client::SourcePtr source, const std::string& ns,
                                                         NamespaceRemains& remains) {
  client::ListOptions everything{.ns = ns};
  const auto list = CO_TRY(co_await client_.ListObjects(source->resource(), std::move(everything)));
  if (list.items.empty()) co_return client::Result<void>();
  remains.remaining[std::string(source->desc->plural) + "." + std::string(source->desc->group)] =
      static_cast<int64_t>(list.items.size());
  for (const client::Object* const object : list.items) {
    api::Ownership ownership;
    if (!client::ReadOwnership(*object, ownership)) continue;
    for (const std::string_view finalizer : ownership.finalizers)
      ++remains.finalizers[std::string(finalizer)];
  }
  client::WatchOptions from_here{.ns = ns, .resource_version = std::to_string(list.revision)};
  auto stream = CO_TRY(co_await client_.Watch(source->resource(), std::move(from_here)));
  stream->SetWaker([this, ns] { loop_.Post([this, ns] { PollWaits(ns); }); });
  waits_[ns].push_back({std::move(source), std::move(stream), list.items.size()});
  PollWaits(ns);
  co_return client::Result<void>();
}

void NamespaceContent::PollWaits(const std::string& ns) {
  const auto found = waits_.find(ns);
  if (found == waits_.end()) return;
  bool gone = false;
  std::erase_if(found->second, [&gone](Wait& wait) {
    for (;;) {
      std::vector<WatchEvent> events;
      const auto state = wait.stream->Poll(kEventsAtATime, events);
      for (const WatchEvent& event : events)
        if (event.type == EventType::kDeleted && wait.left > 0) --wait.left;
      gone = gone || wait.left == 0;
      if (wait.left == 0 || state == WatchStream::State::kEnd) return true;
      if (state == WatchStream::State::kSleep) return false;
    }
  });
  if (gone) gone_(ns);
}

}  // namespace keelson::controllers

#include "app/namespaces_client.h"

#include <algorithm>

#include "api/generated/core_v1.h"
#include "api/meta/ownership.h"
#include "app/feed.h"
#include "app/server_user.h"
#include "app/stored_metadata.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;
using registry::rest::WatchStream;

constexpr std::string_view kFinalizer = "kubernetes";
constexpr std::string_view kTerminating = "Terminating";

base::Task<registry::rest::Result<api::Doc>> WithoutFinalizer(const api::Doc& current) {
  api::Doc doc = current.Clone();
  api::ListNode& finalizers = api::core_v1::NamespaceEditor(doc).mutable_spec().mutable_finalizers();
  for (size_t i = finalizers.size; i-- > 0;)
    if (finalizers.data[i].string() == kFinalizer) finalizers.Erase(i);
  co_return doc;
}

base::Task<registry::rest::Result<api::Doc>> WithStatus(
    std::shared_ptr<const client::Namespaces::StatusEdit> edit, const api::Doc& current) {
  api::Doc doc = current.Clone();
  (*edit)(api::core_v1::NamespaceEditor(doc).mutable_status());
  co_return doc;
}

std::vector<registry::Store*> Without(std::vector<registry::Store*> stores, const registry::Store* store) {
  std::erase(stores, store);
  return stores;
}

}  // namespace

NamespacesClient::NamespacesClient(const Resources& resources, base::Executor& loop)
    : loop_(loop),
      namespaces_(*resources.Find({"", "namespaces"})),
      status_(*resources.Find({"", "namespaces"}, "status")),
      finalize_(*resources.Find({"", "namespaces"}, "finalize")),
      pods_(*resources.Find({"", "pods"})),
      accounts_(*resources.Find({"", "serviceaccounts"})),
      config_maps_(*resources.Find({"", "configmaps"})),
      others_(Without(resources.NamespacedStores(), &pods_)),
      phase_field_(resources.NamespacePhaseField()),
      feed_(namespaces_, loop) {}

// ---- what there is to do

void NamespacesClient::WatchTerminating(std::function<void(std::string)> see) {
  see_ = std::move(see);
  feed_.Open({.see = [this](const WatchEvent& event) {
    if (event.type != EventType::kDeleted && event.object->field(phase_field_) == kTerminating)
      see_(std::string(event.object->name()));
  }});
}

void NamespacesClient::StopWatching() {
  feed_.Close();
  waits_.clear();
  looks_.clear();
}

base::Task<base::Result<bool, api::Status>> NamespacesClient::IsTerminating(std::string ns) {
  const auto read = co_await namespaces_.Get("", std::move(ns), {});
  if (read) co_return (*read)->field(phase_field_) == kTerminating;
  if (read.error().code == 404) co_return false;
  co_return base::Err(read.error());
}

// ---- content

base::Task<NamespacesClient::Stir> NamespacesClient::LookForChanges(std::string ns) {
  const auto found = looks_.find(ns);
  if (found == looks_.end()) {
    Looks looks;
    co_await Follow(pods_, ns, looks);
    for (registry::Store* const store : others_) co_await Follow(*store, ns, looks);
    for (const StoragePtr& storage : std::vector<StoragePtr>(custom_))
      co_await Follow(storage->store(), ns, looks, storage);
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

base::Task<void> NamespacesClient::Follow(registry::Store& store, const std::string& ns, Looks& looks,
                                          StoragePtr storage) {
  const std::string_view given = &store == &accounts_      ? "default"
                                 : &store == &config_maps_ ? "kube-root-ca.crt"
                                                           : "";
  // One more than what is given shows that there is something else.
  registry::rest::ListOptions some{.ns = ns, .limit = 2};
  const auto list = co_await store.List(std::move(some));
  if (!list || list->items.empty()) co_return;
  if (list->items.size() == 1 && list->items.front()->name() == given) co_return;
  registry::rest::WatchOptions from_here{.ns = ns, .resource_version = std::to_string(list->revision)};
  auto stream = co_await store.Watch(std::move(from_here));
  if (!stream) co_return;
  (*stream)->SetWaker([] {});  // it is polled
  looks.push_back({std::move(storage), *std::move(stream)});
}

base::Task<client::NamespaceContent> NamespacesClient::DeleteContent(std::string ns) {
  waits_.erase(ns);
  looks_.erase(ns);
  client::NamespaceContent content;
  // Pods first: what they use stays until they have ended.
  co_await Empty(pods_, ns, content);
  if (!content.empty()) co_return content;
  // A failure of one resource is no reason to leave the others.
  for (registry::Store* const store : others_) co_await Empty(*store, ns, content);
  for (const StoragePtr& storage : std::vector<StoragePtr>(custom_))
    co_await Empty(storage->store(), ns, content, storage);
  co_return content;
}

void NamespacesClient::OnCustomResource(const StoragePtr& now, const StoragePtr& was) {
  if (was) std::erase(custom_, was);
  if (now && now->resource().namespaced()) custom_.push_back(now);
}

base::Task<void> NamespacesClient::Empty(registry::Store& store, const std::string& ns,
                                         client::NamespaceContent& content, StoragePtr storage) {
  const registry::rest::WriteRequest request{.user = &ServerUser(), .ns = ns};
  const registry::DeleteOptions options{.propagation_policy = "Background"};
  registry::rest::ListOptions everything{.ns = ns};
  const auto deleted = co_await store.DeleteCollection(request, options, everything);
  if (!deleted) {
    content.failures.push_back(deleted.error().message);
    co_return;
  }
  if (deleted->items.empty()) co_return;
  const auto counted = co_await Count(store, ns, content, std::move(storage));
  if (!counted) content.failures.push_back(counted.error().message);
}

base::Task<base::Result<void, api::Status>> NamespacesClient::Count(registry::Store& store,
                                                                    const std::string& ns,
                                                                    client::NamespaceContent& content,
                                                                    StoragePtr storage) {
  registry::rest::ListOptions everything{.ns = ns};
  const auto list = CO_TRY(co_await store.List(std::move(everything)));
  if (list.items.empty()) co_return base::Result<void, api::Status>();
  const api::ResourceDesc& desc = store.resource();
  content.remaining[std::string(desc.plural) + "." + std::string(desc.group)] =
      static_cast<int64_t>(list.items.size());
  for (const registry::rest::Object* const object : list.items) {
    api::Ownership ownership;
    if (!ReadStoredOwnership(*object, ownership)) continue;
    for (const std::string_view finalizer : ownership.finalizers)
      ++content.finalizers[std::string(finalizer)];
  }
  registry::rest::WatchOptions from_here{.ns = ns, .resource_version = std::to_string(list.revision)};
  auto stream = CO_TRY(co_await store.Watch(std::move(from_here)));
  stream->SetWaker([this, ns] { loop_.Post([this, ns] { PollWaits(ns); }); });
  waits_[ns].push_back({std::move(storage), std::move(stream), list.items.size()});
  PollWaits(ns);
  co_return base::Result<void, api::Status>();
}

void NamespacesClient::PollWaits(const std::string& ns) {
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
  if (gone) see_(ns);
}

// ---- the namespace itself

base::Task<base::Result<void, api::Status>> NamespacesClient::EditStatus(std::string ns, StatusEdit edit) {
  registry::rest::WriteRequest request{.user = &ServerUser()};
  registry::rest::UpdatedObject updated{
      .make = [edit = std::make_shared<const StatusEdit>(std::move(edit))](const api::Doc& current) {
        return WithStatus(edit, current);
      }};
  CO_TRY(co_await status_.Update(std::move(request), std::move(ns), std::move(updated)));
  co_return base::Result<void, api::Status>();
}

base::Task<base::Result<void, api::Status>> NamespacesClient::Finalize(std::string ns) {
  registry::rest::WriteRequest request{.user = &ServerUser()};
  registry::rest::UpdatedObject updated{.make = WithoutFinalizer};
  CO_TRY(co_await finalize_.Update(std::move(request), ns, std::move(updated)));
  // Without finalizers a delete is the last step; an object that is gone is as good.
  registry::rest::WriteRequest again{.user = &ServerUser()};
  const auto deleted = co_await namespaces_.Delete(std::move(again), std::move(ns), {});
  if (!deleted && deleted.error().code != 404) co_return base::Err(deleted.error());
  co_return base::Result<void, api::Status>();
}

}  // namespace keelson::app

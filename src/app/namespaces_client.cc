#include "app/namespaces_client.h"

#include <algorithm>

#include "api/generated/core_v1.h"
#include "app/server_user.h"
#include "base/log.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;

constexpr std::chrono::seconds kReopenPause{1};
constexpr size_t kEventsAtATime = 100;
constexpr std::string_view kFinalizer = "kubernetes";

base::Task<registry::rest::Result<api::Doc>> WithoutFinalizer(const api::Doc& current) {
  api::Doc doc = current.Clone();
  api::ListNode& finalizers = api::core_v1::NamespaceEditor(doc).mutable_spec().mutable_finalizers();
  for (size_t i = finalizers.size; i-- > 0;)
    if (finalizers.data[i].string() == kFinalizer) finalizers.Erase(i);
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
      finalize_(*resources.Find({"", "namespaces"}, "finalize")),
      pods_(*resources.Find({"", "pods"})),
      others_(Without(resources.NamespacedStores(), &pods_)),
      phase_field_(resources.NamespacePhaseField()) {}

void NamespacesClient::WatchTerminating(std::function<void(std::string)> see) {
  see_ = std::move(see);
  base::Spawn(OpenWatch());
}

base::Task<void> NamespacesClient::OpenWatch() {
  // From what the cache has now: every namespace comes as an addition first.
  registry::rest::WatchOptions options{.resource_version = "0"};
  auto opening = namespaces_.Watch(std::move(options));
  auto watch = co_await std::move(opening);
  if (!watch) {
    base::Log(base::LogLevel::kWarning, "cannot watch namespaces", {{"why", watch.error().message}});
    loop_.PostAfter(kReopenPause, [this] { base::Spawn(OpenWatch()); });
    co_return;
  }
  watch_ = std::move(*watch);
  watch_->SetWaker([this] { loop_.Post([this] { PollWatch(); }); });
  PollWatch();
}

void NamespacesClient::PollWatch() {
  for (;;) {
    std::vector<WatchEvent> events;
    const auto state = watch_->Poll(kEventsAtATime, events);
    for (const WatchEvent& event : events) {
      const bool there = event.type == EventType::kAdded || event.type == EventType::kModified;
      if (there && event.object->field(phase_field_) == "Terminating")
        see_(std::string(event.object->name()));
    }
    if (state == registry::rest::WatchStream::State::kMore) continue;
    if (state == registry::rest::WatchStream::State::kEnd)
      loop_.PostAfter(kReopenPause, [this] { base::Spawn(OpenWatch()); });
    return;
  }
}

base::Task<base::Result<int64_t, api::Status>> NamespacesClient::Empty(registry::Store& store,
                                                                       std::string ns) {
  const registry::rest::WriteRequest request{.user = &ServerUser(), .ns = ns};
  const registry::DeleteOptions options{.propagation_policy = "Background"};
  registry::rest::ListOptions everything{.ns = ns};
  auto deletion = store.DeleteCollection(request, options, everything);
  const auto deleted = co_await std::move(deletion);
  if (!deleted) co_return base::Err(deleted.error());
  if (deleted->items.empty()) co_return 0;
  auto listing = store.List(everything);
  const auto left = co_await std::move(listing);
  if (!left) co_return base::Err(left.error());
  co_return static_cast<int64_t>(left->items.size());
}

base::Task<base::Result<int64_t, api::Status>> NamespacesClient::DeleteContent(std::string ns) {
  // Pods first: what they use stays until they have ended.
  auto ending = Empty(pods_, ns);
  auto pods = co_await std::move(ending);
  if (!pods || *pods > 0) co_return pods;
  int64_t remaining = 0;
  for (registry::Store* const store : others_) {
    auto emptying = Empty(*store, ns);
    const auto left = co_await std::move(emptying);
    if (!left) co_return base::Err(left.error());
    remaining += *left;
  }
  co_return remaining;
}

base::Task<base::Result<void, api::Status>> NamespacesClient::Finalize(std::string ns) {
  registry::rest::WriteRequest request{.user = &ServerUser()};
  registry::rest::UpdatedObject updated{.make = WithoutFinalizer};
  auto update = finalize_.Update(std::move(request), ns, std::move(updated));
  const auto finalized = co_await std::move(update);
  if (!finalized) co_return base::Err(finalized.error());
  // Without finalizers a delete is the last step; an object that is gone is as good.
  registry::rest::WriteRequest again{.user = &ServerUser()};
  auto deletion = namespaces_.Delete(std::move(again), std::move(ns), {});
  const auto deleted = co_await std::move(deletion);
  if (!deleted && deleted.error().code != 404) co_return base::Err(deleted.error());
  co_return base::Result<void, api::Status>();
}

}  // namespace keelson::app

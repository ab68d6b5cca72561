#include "app/objects_client.h"

#include <algorithm>
#include <cstdio>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "app/server_user.h"
#include "app/stored_metadata.h"
#include "base/log.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;

constexpr std::string_view kCollectorComponent = "garbage-collector-controller";

std::string_view PolicyName(client::Propagation propagation) {
  switch (propagation) {
    case client::Propagation::kBackground: return "Background";
    case client::Propagation::kForeground: return "Foreground";
    case client::Propagation::kOrphan: return "Orphan";
  }
  return {};
}

base::Task<registry::rest::Result<api::Doc>> Edited(std::shared_ptr<const client::Objects::Edit> edit,
                                                    const api::Doc& current) {
  api::Doc doc = current.Clone();
  (*edit)(api::MutableMetadataOf(doc));
  co_return doc;
}

}  // namespace

ObjectsClient::ObjectsClient(std::vector<registry::Store*> stores, registry::Store& events,
                             base::Executor& loop)
    : events_(events), loop_(loop) {
  for (registry::Store* const store : stores)
    sources_.push_back({nullptr, std::make_shared<Feed>(*store, loop)});
}

std::shared_ptr<registry::Store> ObjectsClient::StoreOf(uint32_t resource) const {
  const Source& source = sources_[resource];
  if (!source.feed) return nullptr;
  struct Kept {
    StoragePtr storage;
    std::shared_ptr<Feed> feed;
  };
  auto kept = std::make_shared<const Kept>(Kept{source.storage, source.feed});
  registry::Store* const store = &kept->feed->store();
  return {std::move(kept), store};
}

// ---- changes

void ObjectsClient::Open(uint32_t resource) {
  sources_[resource].feed->Open({.see = [this, resource](const WatchEvent& event) { Tell(resource, event); },
                                 .missed = [this] { observer_.missed(); }});
}

void ObjectsClient::Watch(Observer observer) {
  observer_ = std::move(observer);
  watching_ = true;
  for (uint32_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].feed) Open(i);
}

void ObjectsClient::StopWatching() {
  watching_ = false;
  for (const Source& source : sources_)
    if (source.feed) source.feed->Close();
}

void ObjectsClient::CatchUp() {
  for (size_t i = 0; i < sources_.size(); ++i)
    if (const std::shared_ptr<Feed> feed = sources_[i].feed) feed->Poll();
}

void ObjectsClient::OnCustomResource(const StoragePtr& now, const StoragePtr& was) {
  auto source =
      std::ranges::find_if(sources_, [&](const Source& s) { return s.storage && s.storage == was; });
  if (source != sources_.end()) {
    // What has happened to its objects is still of interest.
    if (watching_) source->feed->Poll();
    source->feed->Close();
    *source = {};
  } else {
    source = sources_.insert(sources_.end(), Source());
  }
  if (!now) return;
  *source = {now, std::make_shared<Feed>(now->store(), loop_)};
  if (!watching_) return;
  Open(static_cast<uint32_t>(source - sources_.begin()));
  if (was) observer_.missed();
}

void ObjectsClient::Tell(uint32_t resource, const WatchEvent& event) {
  const registry::rest::Object& object = *event.object;
  client::ObjectChange change{.resource = resource,
                              .ns = object.ns(),
                              .name = object.name(),
                              .uid = object.uid(),
                              .gone = event.type == EventType::kDeleted};
  if (change.gone || ReadStoredOwnership(object, change.ownership)) observer_.see(change);
}

// ---- single objects

std::optional<client::Objects::Resource> ObjectsClient::Resolve(std::string_view api_version,
                                                                std::string_view kind) const {
  // The group alone decides: a reference may name a version that is no longer served.
  const size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i].feed) continue;
    const api::ResourceDesc& desc = sources_[i].feed->store().resource();
    if (desc.kind == kind && desc.group == group) return Resource{i, desc.namespaced};
  }
  return std::nullopt;
}

base::Task<client::Objects::Result<std::optional<client::ObjectState>>> ObjectsClient::Get(
    client::ObjectRef object) {
  const auto store = StoreOf(object.resource);
  if (!store) co_return std::nullopt;
  auto read = co_await store->Get(object.ns, object.name, {});
  if (!read) {
    if (read.error().code == 404) co_return std::nullopt;
    co_return base::Err(std::move(read.error()));
  }
  const auto held = std::make_shared<const registry::rest::ObjectPtr>(*std::move(read));
  const registry::rest::Object& found = **held;
  client::ObjectState state{.uid = std::string(found.uid()),
                            .resource_version = std::to_string(found.revision()),
                            .keepalive = held};
  if (!ReadStoredOwnership(found, state.ownership))
    co_return base::Err(api::InternalError("unreadable metadata: " + std::string(found.key())));
  co_return state;
}

base::Task<bool> ObjectsClient::ExistsAnywhere(uint32_t resource, std::string name, std::string uid) {
  auto by_name = registry::rest::FieldSelector::Parse("metadata.name=" + name);
  if (!by_name) co_return false;
  auto selection = registry::rest::Selection::Bind({}, *by_name, {});
  if (!selection) co_return false;
  registry::rest::ListOptions options{.resource_version = "0", .selection = *std::move(selection)};
  const auto store = StoreOf(resource);
  if (!store) co_return false;
  const auto list = co_await store->List(std::move(options));
  co_return list.has_value() &&
      std::ranges::any_of(list->items, [&](const auto* object) { return object->uid() == uid; });
}

base::Task<void> ObjectsClient::Warn(client::ObjectRef object, std::string_view reason, std::string message) {
  const auto store = StoreOf(object.resource);
  if (!store) co_return;
  const api::ResourceDesc& desc = store->resource();
  const auto now = base::Clock::Real().Now().time_since_epoch();
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  api::Doc doc(api::core_v1::EventView::Type());
  api::core_v1::EventEditor event(doc);
  event.set_kind_static("Event");
  event.set_api_version_static("v1");
  const std::string ns = object.ns.empty() ? "default" : object.ns;
  char suffix[17];
  std::snprintf(suffix, sizeof(suffix), "%llx", static_cast<unsigned long long>(now.count()));
  event.mutable_metadata().set_name(object.name + "." + suffix);
  event.mutable_metadata().set_namespace(ns);
  auto involved = event.mutable_involved_object();
  involved.set_kind_static(desc.kind);
  involved.set_api_version(desc.group.empty() ? std::string(desc.version)
                                              : std::string(desc.group) + "/" + std::string(desc.version));
  involved.set_namespace(object.ns);
  involved.set_name(object.name);
  involved.set_uid(object.uid);
  event.set_reason(reason);
  event.set_message(message);
  event.set_type_static("Warning");
  event.set_count(1);
  event.set_first_timestamp(seconds);
  event.set_last_timestamp(seconds);
  event.mutable_source().set_component_static(kCollectorComponent);
  event.set_reporting_component_static(kCollectorComponent);
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = ns};
  const auto created = co_await events_.Create(std::move(request), std::move(doc));
  if (!created)
    base::Log(base::LogLevel::kWarning, "cannot record an event",
              {{"namespace", ns}, {"name", object.name}, {"why", created.error().message}});
}

base::Task<client::Objects::Result<void>> ObjectsClient::Delete(client::ObjectRef object,
                                                                std::string resource_version,
                                                                client::Propagation propagation) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = object.ns};
  registry::DeleteOptions options{.uid = object.uid,
                                  .propagation_policy = std::string(PolicyName(propagation))};
  if (!resource_version.empty()) options.resource_version = std::move(resource_version);
  const auto store = StoreOf(object.resource);
  if (!store) co_return Result<void>();  // its objects went before it
  CO_TRY(co_await store->Delete(std::move(request), object.name, std::move(options)));
  co_return Result<void>();
}

base::Task<client::Objects::Result<void>> ObjectsClient::EditMetadata(client::ObjectRef object, Edit edit) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = object.ns};
  registry::rest::UpdatedObject updated{
      .make = [edit = std::make_shared<const Edit>(std::move(edit))](
                  const api::Doc& current) { return Edited(edit, current); },
      .uid = object.uid};
  const auto store = StoreOf(object.resource);
  if (!store) co_return Result<void>();
  CO_TRY(co_await store->Update(std::move(request), object.name, std::move(updated)));
  co_return Result<void>();
}

}  // namespace keelson::app

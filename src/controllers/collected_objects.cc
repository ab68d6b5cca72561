#include "controllers/collected_objects.h"

#include <algorithm>

#include "api/meta/object_meta.h"
#include "base/log.h"
#include "client/events.h"
#include "client/object.h"

namespace keelson::controllers {
namespace {

constexpr std::string_view kCollectorComponent = "garbage-collector-controller";

std::string KindKey(std::string_view group, std::string_view kind) {
  return std::string(kind).append(".").append(group);
}

}  // namespace

CollectedObjects::CollectedObjects(const client::Client& client, base::Executor& loop,
                                   const RemoteResources* remote)
    : client_(client),
      loop_(loop),
      remote_(remote ? std::make_unique<RemoteObjects>(*remote, loop) : nullptr) {
  for (const client::SourcePtr& source : client.Sources()) OnSource(source, nullptr);
  client.ObserveSources([this](const auto& now, const auto& was) { OnSource(now, was); });
}

// ---- changes

void CollectedObjects::OnSource(const client::SourcePtr& now, const client::SourcePtr& was) {
  auto number = static_cast<uint32_t>(informers_.size());
  if (const auto known = by_source_.find(was.get()); known != by_source_.end()) {
    number = known->second;
    const auto informer = informers_[number];
    // What has happened to its objects is still of interest.
    if (watching_) informer->Poll();
    informer->Stop();
    informers_[number].reset();
    Unnumber(was, number);
  }
  if (!now || !now->garbage_collected) return;
  if (number == informers_.size()) informers_.emplace_back();
  informers_[number] = std::make_shared<client::Informer>(now, loop_);
  Number(now, number);
  if (!watching_) return;
  Start(number);
  if (was) observer_.missed();
}

void CollectedObjects::Number(const client::SourcePtr& source, uint32_t resource) {
  by_source_.emplace(source.get(), resource);
  by_kind_[KindKey(source->desc->group, source->desc->kind)].insert(resource);
}

void CollectedObjects::Unnumber(const client::SourcePtr& source, uint32_t resource) {
  by_source_.erase(source.get());
  const auto of_kind = by_kind_.find(KindKey(source->desc->group, source->desc->kind));
  of_kind->second.erase(resource);
  if (of_kind->second.empty()) by_kind_.erase(of_kind);
}

void CollectedObjects::Start(uint32_t resource) {
  auto relisted = std::make_shared<bool>(false);
  informers_[resource]->Start(
      {.changed = [this, resource](const client::Change& change) { Tell(resource, change); },
       .relisting = [relisted](bool again) { *relisted = again; },
       .told_all =
           [this, relisted] {
             if (std::exchange(*relisted, false)) observer_.missed();
           }});
}

void CollectedObjects::Watch(Observer observer) {
  observer_ = std::move(observer);
  watching_ = true;
  for (uint32_t i = 0; i < informers_.size(); ++i)
    if (informers_[i]) Start(i);
  if (!remote_) return;
  // Owners of kinds that nobody knew may be there.
  remote_->Watch(
      {.see = [this](uint32_t number, const RemoteObject& object) { TellRemote(number, object, false); },
       .gone = [this](uint32_t number, const RemoteObject& object) { TellRemote(number, object, true); },
       .appeared = [this] { observer_.missed(); }});
}

void CollectedObjects::StopWatching() {
  watching_ = false;
  for (const auto& informer : informers_)
    if (informer) informer->Stop();
  if (remote_) remote_->StopWatching();
}

void CollectedObjects::CatchUp() {
  for (size_t i = 0; i < informers_.size(); ++i)
    if (const auto informer = informers_[i]) informer->Poll();
}

void CollectedObjects::Tell(uint32_t resource, const client::Change& change) {
  ObjectChange told{.resource = resource,
                    .ns = change.object.ns(),
                    .name = change.object.name(),
                    .uid = change.object.uid(),
                    .gone = change.gone};
  if (told.gone || client::ReadOwnership(change.object, told.ownership)) observer_.see(told);
}

void CollectedObjects::TellRemote(uint32_t number, const RemoteObject& object, bool gone) {
  observer_.see({.resource = number | kRemote,
                 .ns = object.ns,
                 .name = object.name,
                 .uid = object.uid,
                 .ownership = object.ownership,
                 .gone = gone});
}

// ---- single objects

const RemoteResource* CollectedObjects::RemoteOf(uint32_t resource) const {
  return resource & kRemote ? remote_->Find(resource & ~kRemote) : nullptr;
}

client::SourcePtr CollectedObjects::SourceOf(uint32_t resource) const {
  if (resource & kRemote) return nullptr;
  return informers_[resource] ? informers_[resource]->source() : nullptr;
}

std::optional<CollectedObjects::Resource> CollectedObjects::Resolve(std::string_view api_version,
                                                                    std::string_view kind) const {
  // The group alone decides: a reference may name a version that is no longer served.
  const size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  if (const auto found = by_kind_.find(KindKey(group, kind)); found != by_kind_.end()) {
    const uint32_t first = *found->second.begin();
    return Resource{first, informers_[first]->source()->desc->namespaced};
  }
  const auto remote = remote_ ? remote_->Resolve(group, kind) : std::nullopt;
  if (remote) return Resource{*remote | kRemote, remote_->Find(*remote)->namespaced};
  return std::nullopt;
}

base::Task<client::Result<std::optional<ObjectState>>> CollectedObjects::GetRemote(ObjectRef object) const {
  const RemoteResource* const resource = RemoteOf(object.resource);
  if (!resource) co_return std::nullopt;
  auto found = CO_TRY(co_await remote_->resources().Get(*resource, object.ns, object.name));
  if (!found) co_return std::nullopt;
  remote_->Note(object.resource & ~kRemote, *found);
  ObjectState state;
  state.remote = std::make_shared<const RemoteObject>(*std::move(found));
  state.uid = state.remote->uid;
  state.resource_version = state.remote->resource_version;
  state.ownership = state.remote->ownership;
  co_return state;
}

base::Task<client::Result<std::optional<ObjectState>>> CollectedObjects::Get(ObjectRef object) const {
  if (object.resource & kRemote) co_return co_await GetRemote(std::move(object));
  const auto source = SourceOf(object.resource);
  if (!source) co_return std::nullopt;
  ObjectState state;
  state.object =
      CO_TRY(co_await client_.GetObject(source->resource(), object.ns, object.name, client::Fresh::kNewest));
  if (!state.object) co_return std::nullopt;
  if (!client::ReadOwnership(*state.object, state.ownership))
    co_return base::Err(api::InternalError("unreadable metadata: " + std::string(state.object->key())));
  state.uid = state.object->uid();
  state.resource_version = std::to_string(state.object->revision());
  co_return state;
}

base::Task<bool> CollectedObjects::ExistsAnywhere(uint32_t resource, std::string name,
                                                  std::string uid) const {
  const auto source = SourceOf(resource);
  if (!source) co_return false;
  auto by_name = client::FieldSelector::Parse("metadata.name=" + name);
  if (!by_name) co_return false;
  auto selection = client::Selection::Bind({}, *by_name, {});
  if (!selection) co_return false;
  client::ListOptions options{.resource_version = "0", .selection = *std::move(selection)};
  const auto list = co_await client_.ListObjects(source->resource(), std::move(options));
  co_return list.has_value() &&
      std::ranges::any_of(list->items, [&](const auto* object) { return object->uid() == uid; });
}

base::Task<void> CollectedObjects::Warn(ObjectRef object, std::string_view reason,
                                        std::string message) const {
  const auto source = SourceOf(object.resource);
  if (!source) co_return;
  const std::string ns = client::EventNamespace(object.ns);
  api::Doc event = client::MakeEvent(
      {*source->desc, object.ns, object.name, object.uid},
      {.type = "Warning", .reason = reason, .message = message, .component = kCollectorComponent});
  const auto created = co_await client_.Create({"", "events"}, ns, std::move(event));
  if (!created)
    base::Log(base::LogLevel::kWarning, "cannot record an event",
              {{"namespace", ns}, {"name", object.name}, {"why", created.error().message}});
}

base::Task<client::Result<void>> CollectedObjects::Delete(ObjectRef object, std::string resource_version,
                                                          client::Propagation propagation) const {
  client::DeleteOptions options{
      .uid = object.uid, .resource_version = std::move(resource_version), .propagation = propagation};
  if (const RemoteResource* const remote = RemoteOf(object.resource))
    co_return co_await remote_->resources().Delete(*remote, object.ns, object.name, std::move(options));
  const auto source = SourceOf(object.resource);
  if (!source) co_return client::Result<void>();  // its objects went before it
  co_return co_await client_.Delete(source->resource(), object.ns, object.name, std::move(options));
}

base::Task<client::Result<void>> CollectedObjects::EditRemote(ObjectRef object, Edit edit) const {
  const RemoteResource* const resource = RemoteOf(object.resource);
  if (!resource) co_return client::Result<void>();
  const RemoteResource asked = *resource;
  auto found = CO_TRY(co_await remote_->resources().Get(asked, object.ns, object.name));
  if (!found || found->uid != object.uid)
    co_return base::Err(api::NotFound({asked.group, asked.plural}, object.name));
  auto edited = std::make_shared<api::Doc>(found->doc->Clone());
  if (!edit(api::MutableMetadataOf(*edited))) co_return client::Result<void>();
  found->doc = std::move(edited);
  co_return co_await remote_->resources().WriteOwnership(asked, *std::move(found));
}

base::Task<client::Result<void>> CollectedObjects::EditMetadata(ObjectRef object, Edit edit) const {
  if (object.resource & kRemote) co_return co_await EditRemote(std::move(object), std::move(edit));
  const auto source = SourceOf(object.resource);
  if (!source) co_return client::Result<void>();
  client::Client::Edit change = [edit = std::move(edit)](api::Doc& doc) {
    return edit(api::MutableMetadataOf(doc));
  };
  CO_TRY(co_await client_.Update(source->resource(), object.ns, object.name, std::move(change), object.uid));
  co_return client::Result<void>();
}

}  // namespace keelson::controllers

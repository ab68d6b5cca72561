#include "app/objects_client.h"

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "app/server_user.h"
#include "base/log.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;
using registry::rest::WatchStream;

constexpr std::chrono::seconds kReopenPause{1};
constexpr size_t kEventsAtATime = 256;
constexpr uint32_t kMetadata = 1;  // of every stored message

std::string_view PolicyName(client::Propagation propagation) {
  switch (propagation) {
    case client::Propagation::kBackground: return "Background";
    case client::Propagation::kForeground: return "Foreground";
    case client::Propagation::kOrphan: return "Orphan";
  }
  return {};
}

bool ReadOwnershipOf(const registry::rest::Object& object, api::Ownership& ownership) {
  const auto metadata = api::protobuf::FindBytes(object.message(), {kMetadata});
  if (metadata && api::ReadOwnership(*metadata, ownership)) return true;
  base::Log(base::LogLevel::kError, "stored object has no readable metadata; it is not collected",
            {{"key", object.key()}});
  return false;
}

base::Task<registry::rest::Result<api::Doc>> Edited(std::shared_ptr<const client::Objects::Edit> edit,
                                                    const api::Doc& current) {
  api::Doc doc = current.Clone();
  (*edit)(api::MutableMetadataOf(doc));
  co_return doc;
}

}  // namespace

ObjectsClient::ObjectsClient(std::vector<registry::Store*> stores, base::Executor& loop) : loop_(loop) {
  for (registry::Store* const store : stores)
    feeds_.push_back({.store = store, .index = static_cast<uint32_t>(feeds_.size())});
}

// ---- changes

void ObjectsClient::Watch(Observer observer) {
  observer_ = std::move(observer);
  for (Feed& feed : feeds_) base::Spawn(Open(feed));
}

base::Task<void> ObjectsClient::Open(Feed& feed) {
  // From what the cache has now: every object comes as an addition first.
  registry::rest::WatchOptions options{.resource_version = "0"};
  auto opening = feed.store->Watch(std::move(options));
  auto stream = co_await std::move(opening);
  if (!stream) {
    base::Log(base::LogLevel::kWarning, "cannot watch for garbage collection",
              {{"resource", feed.store->resource().plural}, {"why", stream.error().message}});
    Reopen(feed);
    co_return;
  }
  feed.stream = std::move(*stream);
  feed.stream->SetWaker([this, &feed] { loop_.Post([this, &feed] { Poll(feed); }); });
  const bool missed = std::exchange(feed.opened_before, true);
  Poll(feed);
  if (missed) observer_.missed();
}

void ObjectsClient::Reopen(Feed& feed) {
  feed.stream.reset();
  loop_.PostAfter(kReopenPause, [this, &feed] { base::Spawn(Open(feed)); });
}

void ObjectsClient::CatchUp() {
  for (Feed& feed : feeds_) Poll(feed);
}

void ObjectsClient::Poll(Feed& feed) {
  while (feed.stream) {
    std::vector<WatchEvent> events;
    const auto state = feed.stream->Poll(kEventsAtATime, events);
    for (const WatchEvent& event : events) Tell(feed, event);
    if (state == WatchStream::State::kSleep) return;
    if (state == WatchStream::State::kEnd) return Reopen(feed);
  }
}

void ObjectsClient::Tell(const Feed& feed, const WatchEvent& event) {
  if (event.type == EventType::kBookmark || event.type == EventType::kError) return;
  const registry::rest::Object& object = *event.object;
  client::ObjectChange change{.resource = feed.index,
                              .ns = object.ns(),
                              .name = object.name(),
                              .uid = object.uid(),
                              .gone = event.type == EventType::kDeleted};
  if (change.gone || ReadOwnershipOf(object, change.ownership)) observer_.see(change);
}

// ---- single objects

std::optional<client::Objects::Resource> ObjectsClient::Resolve(std::string_view api_version,
                                                                std::string_view kind) const {
  // The group alone decides: a reference may name a version that is no longer served.
  const size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  for (const Feed& feed : feeds_) {
    const api::ResourceDesc& desc = feed.store->resource();
    if (desc.kind == kind && desc.group == group) return Resource{feed.index, desc.namespaced};
  }
  return std::nullopt;
}

base::Task<client::Objects::Result<std::optional<client::ObjectState>>> ObjectsClient::Get(
    client::ObjectRef object) {
  auto reading = feeds_[object.resource].store->Get(object.ns, object.name, {});
  auto read = co_await std::move(reading);
  if (!read) {
    if (read.error().code == 404) co_return std::nullopt;
    co_return base::Err(std::move(read.error()));
  }
  const auto held = std::make_shared<const registry::rest::ObjectPtr>(*std::move(read));
  const registry::rest::Object& found = **held;
  client::ObjectState state{.uid = std::string(found.uid()),
                            .resource_version = std::to_string(found.revision()),
                            .keepalive = held};
  if (!ReadOwnershipOf(found, state.ownership))
    co_return base::Err(api::InternalError("unreadable metadata: " + std::string(found.key())));
  co_return state;
}

base::Task<client::Objects::Result<void>> ObjectsClient::Delete(client::ObjectRef object,
                                                                std::string resource_version,
                                                                client::Propagation propagation) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = object.ns};
  registry::DeleteOptions options{.uid = object.uid,
                                  .propagation_policy = std::string(PolicyName(propagation))};
  if (!resource_version.empty()) options.resource_version = std::move(resource_version);
  auto deletion = feeds_[object.resource].store->Delete(std::move(request), object.name, std::move(options));
  auto deleted = co_await std::move(deletion);
  if (!deleted) co_return base::Err(std::move(deleted.error()));
  co_return Result<void>();
}

base::Task<client::Objects::Result<void>> ObjectsClient::EditMetadata(client::ObjectRef object, Edit edit) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = object.ns};
  registry::rest::UpdatedObject updated{
      .make = [edit = std::make_shared<const Edit>(std::move(edit))](
                  const api::Doc& current) { return Edited(edit, current); },
      .uid = object.uid};
  auto update = feeds_[object.resource].store->Update(std::move(request), object.name, std::move(updated));
  auto written = co_await std::move(update);
  if (!written) co_return base::Err(std::move(written.error()));
  co_return Result<void>();
}

}  // namespace keelson::app

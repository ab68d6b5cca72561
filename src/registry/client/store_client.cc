#include "registry/client/store_client.h"

#include <utility>

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "registry/decode.h"

namespace keelson::registry {
namespace {

using client::Fresh;
using client::Propagation;
using client::Result;
using client::Written;

base::Task<rest::Result<api::Doc>> EditedBy(std::shared_ptr<const client::Client::Edit> edit,
                                            const api::Doc& current) {
  api::Doc doc = current.Clone();
  // A document that was changed all the same must not be written.
  if (!(*edit)(doc)) co_return current.Clone();
  co_return doc;
}

Written WrittenAs(const rest::Written& written) {
  constexpr uint32_t kMetadata = 1, kResourceVersion = 6;
  const auto version = api::protobuf::FindBytes(written.object.message, {kMetadata, kResourceVersion});
  return {.resource_version = std::string(version.value_or(""))};
}

std::optional<std::string> NonEmpty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::string> PolicyOf(Propagation propagation) {
  switch (propagation) {
    case Propagation::kDefault: return std::nullopt;
    case Propagation::kBackground: return "Background";
    case Propagation::kForeground: return "Foreground";
    case Propagation::kOrphan: return "Orphan";
  }
  std::unreachable();
}

rest::Result<std::vector<api::Doc>> DecodeAll(const rest::ListResult& list, const api::TypeDesc& type) {
  std::vector<api::Doc> docs;
  docs.reserve(list.items.size());
  for (const rest::Object* const object : list.items) docs.push_back(TRY(DecodeStored(*object, type)));
  return docs;
}

}  // namespace

// ---- what there is

client::SourcePtr StoreClient::Find(client::Resource resource) const {
  return stores_.Find(resource.group, resource.plural);
}

std::vector<client::SourcePtr> StoreClient::Sources() const {
  const auto all = stores_.All();
  return {all.begin(), all.end()};
}

Result<StoreClient::Target> StoreClient::Resolve(client::Resource resource) const {
  Target target{.entry = stores_.Find(resource.group, resource.plural)};
  if (target.entry) target.store = target.entry->Find(resource.subresource);
  if (target.store) return target;
  const api::GroupResource named{resource.group, resource.plural};
  if (stores_.is_open()) return base::Err(api::GenericServerResponse(404, "", named, "", ""));
  api::Status loading = api::GenericServerResponse(503, "", {}, "", "");
  loading.message = "the store is being loaded";
  return base::Err(std::move(loading));
}

rest::WriteRequest StoreClient::RequestIn(std::string ns) const {
  return {.user = &identity_.user, .ns = std::move(ns), .field_manager = identity_.field_manager};
}

// ---- reading

base::Task<Result<client::ObjectPtr>> StoreClient::GetObject(client::Resource resource, std::string ns,
                                                             std::string name, Fresh fresh) const {
  return GetFrom(Resolve(resource), std::move(ns), std::move(name), fresh);
}

base::Task<Result<client::ObjectPtr>> StoreClient::GetFrom(Resolved target, std::string ns, std::string name,
                                                           Fresh fresh) {
  if (!target && target.error().code == 404) co_return client::ObjectPtr();
  if (!target) co_return base::Err(target.error());
  Store& store = *target->store;
  if (fresh != Fresh::kNewest) {
    auto cached = co_await store.Get(ns, name, {.resource_version = "0"});
    if (cached) co_return *std::move(cached);
    if (cached.error().code != 404) co_return base::Err(std::move(cached.error()));
    if (fresh == Fresh::kCached) co_return client::ObjectPtr();
  }
  auto newest = co_await store.Get(std::move(ns), std::move(name), {});
  if (newest) co_return *std::move(newest);
  if (newest.error().code == 404) co_return client::ObjectPtr();
  co_return base::Err(std::move(newest.error()));
}

base::Task<Result<std::optional<api::Doc>>> StoreClient::Get(client::Resource resource, std::string ns,
                                                             std::string name, Fresh fresh) const {
  return GetDocFrom(Resolve(resource), std::move(ns), std::move(name), fresh);
}

base::Task<Result<std::optional<api::Doc>>> StoreClient::GetDocFrom(Resolved target, std::string ns,
                                                                    std::string name, Fresh fresh) {
  const auto object = CO_TRY(co_await GetFrom(target, std::move(ns), std::move(name), fresh));
  if (!object) co_return std::nullopt;
  auto doc = CO_TRY(DecodeStored(*object, target->type()));
  co_return std::optional(std::move(doc));
}

base::Task<Result<client::Client::Docs>> StoreClient::List(client::Resource resource, std::string ns) const {
  return ListFrom(Resolve(resource), std::move(ns));
}

base::Task<Result<client::Client::Docs>> StoreClient::ListFrom(Resolved resolved, std::string ns) {
  const Target target = CO_TRY(std::move(resolved));
  // Asked before the list is taken: what comes in between is seen as a change the next time.
  const auto newest = DecodedList::Version::Of(*target.entry->storage);
  if (ns.empty()) {
    if (auto known = target.entry->decoded.At(newest)) co_return known;
  }
  const bool all = ns.empty();
  rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await target.store->List(std::move(options)));
  auto decoded = CO_TRY(DecodeAll(list, target.type()));
  Docs docs = std::make_shared<const std::vector<api::Doc>>(std::move(decoded));
  if (all) target.entry->decoded.Put(newest, docs);
  co_return docs;
}

base::Task<Result<client::ListResult>> StoreClient::ListObjects(client::Resource resource,
                                                                client::ListOptions options) const {
  return ListObjectsFrom(Resolve(resource), std::move(options));
}

base::Task<Result<client::ListResult>> StoreClient::ListObjectsFrom(Resolved resolved,
                                                                    client::ListOptions options) {
  const Target target = CO_TRY(std::move(resolved));
  co_return co_await target.store->List(std::move(options));
}

base::Task<Result<int64_t>> StoreClient::Count(client::Resource resource, std::string ns) const {
  return CountIn(Resolve(resource), std::move(ns));
}

base::Task<Result<int64_t>> StoreClient::CountIn(Resolved resolved, std::string ns) {
  const Target target = CO_TRY(std::move(resolved));
  rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await target.store->List(std::move(options)));
  co_return static_cast<int64_t>(list.items.size());
}

base::Task<Result<std::unique_ptr<client::WatchStream>>> StoreClient::Watch(
    client::Resource resource, client::WatchOptions options) const {
  return WatchIn(Resolve(resource), std::move(options));
}

base::Task<Result<std::unique_ptr<client::WatchStream>>> StoreClient::WatchIn(Resolved resolved,
                                                                              client::WatchOptions options) {
  const Target target = CO_TRY(std::move(resolved));
  co_return co_await target.store->Watch(std::move(options));
}

// ---- writing

base::Task<Result<Written>> StoreClient::Create(client::Resource resource, std::string ns,
                                                api::Doc doc) const {
  return CreateIn(Resolve(resource), std::move(ns), std::move(doc));
}

base::Task<Result<Written>> StoreClient::CreateIn(Resolved resolved, std::string ns, api::Doc doc) const {
  const Target target = CO_TRY(std::move(resolved));
  rest::WriteRequest request = RequestIn(std::move(ns));
  const auto written = CO_TRY(co_await target.store->Create(std::move(request), std::move(doc)));
  co_return WrittenAs(written);
}

base::Task<Result<Written>> StoreClient::Update(client::Resource resource, std::string ns, std::string name,
                                                Edit edit, std::string uid) const {
  rest::UpdatedObject updated{.make = [edit = std::make_shared<const Edit>(std::move(edit))](
                                          const api::Doc& current) { return EditedBy(edit, current); },
                              .uid = std::move(uid)};
  return UpdateIn(Resolve(resource), std::move(ns), std::move(name), std::move(updated));
}

base::Task<Result<Written>> StoreClient::UpdateIn(Resolved resolved, std::string ns, std::string name,
                                                  rest::UpdatedObject updated) const {
  const Target target = CO_TRY(std::move(resolved));
  rest::WriteRequest request = RequestIn(std::move(ns));
  const auto written =
      CO_TRY(co_await target.store->Update(std::move(request), std::move(name), std::move(updated)));
  co_return WrittenAs(written);
}

// The resourceVersion it was read at makes the write conditional.
base::Task<Result<Written>> StoreClient::Replace(client::Resource resource, api::Doc doc) const {
  const auto metadata = api::MetadataOf(doc);
  std::string ns(metadata.namespace_()), name(metadata.name());
  rest::UpdatedObject updated{
      .make = [wanted = std::make_shared<const api::Doc>(std::move(doc))](
                  const api::Doc&) -> base::Task<rest::Result<api::Doc>> { co_return wanted->Clone(); }};
  return UpdateIn(Resolve(resource), std::move(ns), std::move(name), std::move(updated));
}

base::Task<Result<Written>> StoreClient::Apply(client::Resource resource, std::string ns, std::string name,
                                               std::string config) const {
  return ApplyIn(Resolve(resource), std::move(ns), std::move(name), std::move(config));
}

base::Task<Result<Written>> StoreClient::ApplyIn(Resolved resolved, std::string ns, std::string name,
                                                 std::string config) const {
  const Target target = CO_TRY(std::move(resolved));
  auto configuration = rest::ApplyConfiguration::FromJson(*target.entry->desc, base::Slice::Copy(config));
  if (!configuration) co_return base::Err(api::BadRequest(configuration.error()));
  configuration->force = true;
  rest::UpdatedObject updated;
  updated.apply = *std::move(configuration);
  co_return co_await UpdateIn(target, std::move(ns), std::move(name), std::move(updated));
}

base::Task<Result<void>> StoreClient::Delete(client::Resource resource, std::string ns, std::string name,
                                             client::DeleteOptions options) const {
  return DeleteIn(Resolve(resource), std::move(ns), std::move(name), std::move(options));
}

base::Task<Result<void>> StoreClient::DeleteIn(Resolved resolved, std::string ns, std::string name,
                                               client::DeleteOptions options) const {
  const Target target = CO_TRY(std::move(resolved));
  DeleteOptions asked{.uid = NonEmpty(std::move(options.uid)),
                      .resource_version = NonEmpty(std::move(options.resource_version)),
                      .propagation_policy = PolicyOf(options.propagation)};
  rest::WriteRequest request = RequestIn(std::move(ns));
  CO_TRY(co_await target.store->Delete(std::move(request), std::move(name), std::move(asked)));
  co_return Result<void>();
}

base::Task<Result<int64_t>> StoreClient::DeleteAll(client::Resource resource, std::string ns,
                                                   Propagation propagation) const {
  return DeleteAllIn(Resolve(resource), std::move(ns), propagation);
}

base::Task<Result<int64_t>> StoreClient::DeleteAllIn(Resolved resolved, std::string ns,
                                                     Propagation propagation) const {
  const Target target = CO_TRY(std::move(resolved));
  rest::ListOptions everything{.ns = ns};
  rest::WriteRequest request = RequestIn(std::move(ns));
  DeleteOptions options{.propagation_policy = PolicyOf(propagation)};
  const auto deleted = CO_TRY(
      co_await target.store->DeleteCollection(std::move(request), std::move(options), std::move(everything)));
  co_return static_cast<int64_t>(deleted.items.size());
}

}  // namespace keelson::registry

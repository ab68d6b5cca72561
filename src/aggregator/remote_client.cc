#include "aggregator/remote_client.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/generated/meta_v1.h"
#include "api/meta/object_meta.h"
#include "net/http/url.h"

namespace keelson::aggregator {
namespace {

using api::json::JsonWriter;
using api::meta_v1::ObjectMetaView;
using controllers::RemoteObject;
using controllers::RemoteResource;

constexpr std::string_view kAcceptObject =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kAcceptList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

std::string_view StringAt(const api::Value& value, std::string_view member) {
  const api::Value* const found = value.map() ? value.map()->Find(member) : nullptr;
  return found ? found->string() : std::string_view();
}

// Whether the text can be one segment of a path, as names of resources and objects are.
bool IsSegment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && text.find_first_of("/?#% ") == text.npos;
}

std::string CollectionPath(const RemoteResource& resource, std::string_view ns) {
  std::string path = "/apis/" + resource.group + "/" + resource.version;
  if (!ns.empty()) path.append("/namespaces/").append(net::http::PathEscape(ns));
  return path.append("/").append(resource.plural);
}

std::string ObjectPath(const RemoteResource& resource, std::string_view ns, std::string_view name) {
  return CollectionPath(resource, ns) + "/" + net::http::PathEscape(name);
}

// Takes what garbage collection must know from the metadata of the object's document.
void Describe(RemoteObject& object) {
  const ObjectMetaView metadata = api::MetadataOf(*object.doc);
  object.ns = metadata.namespace_();
  object.name = metadata.name();
  object.uid = metadata.uid();
  object.resource_version = metadata.resource_version();
  api::Ownership& ownership = object.ownership;
  for (const auto owner : metadata.owner_references())
    ownership.owners.push_back(
        {owner.api_version(), owner.kind(), owner.name(), owner.uid(), owner.block_owner_deletion()});
  for (const api::Value& value : metadata.finalizers()) {
    const std::string_view finalizer = value.string();
    ownership.finalizers.push_back(finalizer);
    ownership.orphans = ownership.orphans || finalizer == api::kOrphanFinalizer;
    ownership.foreground = ownership.foreground || finalizer == api::kForegroundFinalizer;
  }
  ownership.deleting = metadata.has_deletion_timestamp();
}

// The metadata of an object of any kind.
base::Result<RemoteObject, std::string> ReadObject(std::string_view json) {
  api::Arena arena;
  const auto root = api::json::Decode(json, api::meta_v1::kPartialObjectMetadataType, arena, nullptr);
  if (!root) return base::Err(root.error().message);
  RemoteObject object;
  object.doc = std::make_shared<const api::Doc>(std::move(arena), *root);
  Describe(object);
  if (!IsSegment(object.name)) return base::Err("an object without a name");
  return object;
}

std::string_view Name(client::Propagation propagation) {
  switch (propagation) {
    case client::Propagation::kDefault: return "";
    case client::Propagation::kBackground: return "Background";
    case client::Propagation::kForeground: return "Foreground";
    case client::Propagation::kOrphan: return "Orphan";
  }
  return "";
}

std::string DeletionBody(const client::DeleteOptions& options) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "DeleteOptions").Member("apiVersion", "v1");
  if (const std::string_view policy = Name(options.propagation); !policy.empty())
    json.Member("propagationPolicy", policy);
  if (!options.uid.empty() || !options.resource_version.empty()) {
    json.Key("preconditions").BeginObject();
    if (!options.uid.empty()) json.Member("uid", options.uid);
    if (!options.resource_version.empty()) json.Member("resourceVersion", options.resource_version);
    json.EndObject();
  }
  json.EndObject();
  return std::string(out.view());
}

// A merge patch with the owners and finalizers of the document.
std::string OwnershipPatch(const RemoteObject& object) {
  const ObjectMetaView metadata = api::MetadataOf(*object.doc);
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Key("metadata").BeginObject();
  json.Member("uid", object.uid).Member("resourceVersion", object.resource_version);
  json.Key("ownerReferences").BeginArray();
  for (const auto owner : metadata.owner_references()) {
    json.BeginObject().Member("apiVersion", owner.api_version()).Member("kind", owner.kind());
    json.Member("name", owner.name()).Member("uid", owner.uid());
    if (owner.has_controller()) json.Key("controller").Bool(owner.controller());
    if (owner.has_block_owner_deletion()) json.Key("blockOwnerDeletion").Bool(owner.block_owner_deletion());
    json.EndObject();
  }
  json.EndArray().Key("finalizers").BeginArray();
  for (const api::Value& finalizer : metadata.finalizers()) json.String(finalizer.string());
  json.EndArray().EndObject().EndObject();
  return std::string(out.view());
}

// The message of a Status; empty: the body is none.
std::string StatusMessage(std::string_view body) {
  api::Arena arena;
  const auto value = api::json::DecodeAny(body, arena);
  return value ? std::string(StringAt(*value, "message")) : std::string();
}

api::Status Unavailable(std::string_view message) {
  return api::GenericServerResponse(503, "", {}, "", message);
}

}  // namespace

std::vector<RemoteResource> ReadCollectable(std::string_view resources, std::string_view group,
                                            std::string_view version) {
  std::vector<RemoteResource> read;
  api::Arena arena;
  const auto list = api::json::DecodeAny(resources, arena);
  if (!list || !list->list()) return read;
  for (const api::Value& item : list->list()->items()) {
    const api::Value* const verbs = item.map() ? item.map()->Find("verbs") : nullptr;
    const api::Value* const kind = item.map() ? item.map()->Find("responseKind") : nullptr;
    if (!verbs || !verbs->list() || !kind) continue;
    const auto has = [&](std::string_view verb) {
      return std::ranges::any_of(verbs->list()->items(),
                                 [verb](const api::Value& v) { return v.string() == verb; });
    };
    if (!has("list") || !has("get") || !has("delete")) continue;
    RemoteResource resource{.group = std::string(group),
                            .version = std::string(version),
                            .plural = std::string(StringAt(item, "resource")),
                            .kind = std::string(StringAt(*kind, "kind")),
                            .namespaced = StringAt(item, "scope") == "Namespaced",
                            .deletes_collections = has("deletecollection")};
    if (IsSegment(resource.plural) && !resource.kind.empty()) read.push_back(std::move(resource));
  }
  return read;
}

base::Result<RemotePage, std::string> ReadRemotePage(std::string_view json) {
  api::Arena arena;
  const auto list = api::json::DecodeAny(json, arena);
  if (!list) return base::Err(list.error().message);
  const api::Value* const items = list->map() ? list->map()->Find("items") : nullptr;
  const api::Value* const metadata = list->map() ? list->map()->Find("metadata") : nullptr;
  if (!metadata || !metadata->map()) return base::Err("no list");
  RemotePage page;
  page.next = StringAt(*metadata, "continue");
  if (!items || items->is(api::Value::Tag::kNull)) return page;
  if (!items->list()) return base::Err("no list");
  for (const api::Value& item : items->list()->items()) {
    base::BufferBuilder text;
    api::json::EncodeAny(item, text);
    page.objects.push_back(TRY(ReadObject(text.view())));
  }
  return page;
}

RemoteClient::RemoteClient(const ApiServiceTable& table, Backends& backends, std::string_view account)
    : table_(table),
      backends_(backends),
      user_{
          .name = "system:serviceaccount:kube-system:" + std::string(account),
          .uid = {},
          .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
          .extra = {}} {}

void RemoteClient::SetRegistered(const endpoints::discovery::Registered& registered) {
  all_.clear();
  unknown_.clear();
  std::vector<const endpoints::discovery::RegisteredVersion*> remote;
  for (const auto& version : registered)
    if (version.remote) remote.push_back(&version);
  // Each resource in the version that is preferred.
  std::ranges::stable_sort(remote, std::greater(), [](const auto* v) { return v->version_priority; });
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto* const version : remote) {
    if (version->stale) unknown_.push_back(version->group + "/" + version->version);
    for (RemoteResource& resource :
         ReadCollectable(version->remote->view(), version->group, version->version))
      if (seen.emplace(resource.group, resource.plural).second) all_.push_back(std::move(resource));
  }
  std::ranges::sort(all_);
  std::ranges::sort(unknown_);
}

RemoteClient::Asked<std::string> RemoteClient::AskFor(RemoteResource resource, Question question) const {
  const ApiServicePtr service = table_.Find(resource.version + "." + resource.group);
  if (!service || !service->service)
    co_return base::Err(Unavailable(resource.group + "/" + resource.version + " is not served any more"));
  if (!service->available)
    co_return base::Err(Unavailable("the server is currently unable to handle the request"));
  size_t& asking = asking_[service->name];
  if (asking >= kMostAtATime) co_return base::Err(Unavailable("the backend is asked too much already"));
  ++asking;
  question.user = &user_;
  question.timeout = kTimeout;
  auto answer = co_await Ask(backends_, service, std::move(question));
  if (const auto at = asking_.find(service->name); --at->second == 0) asking_.erase(at);
  if (!answer) co_return base::Err(Unavailable(answer.error()));
  if (answer->status >= 200 && answer->status <= 299) co_return std::move(answer->body);
  api::Status status = api::GenericServerResponse(answer->status, "", {}, "", answer->body);
  if (std::string message = StatusMessage(answer->body); !message.empty())
    status.message = std::move(message);
  co_return base::Err(std::move(status));
}

RemoteClient::Asked<std::vector<RemoteObject>> RemoteClient::List(RemoteResource resource,
                                                                  std::string ns) const {
  std::vector<RemoteObject> objects;
  std::string next;
  const std::string path = CollectionPath(resource, ns) + "?limit=" + std::to_string(kPage);
  for (size_t pages = 0; pages < kMostPages; ++pages) {
    std::string here = next.empty() ? path : path + "&continue=" + net::http::QueryEscape(next);
    const std::string body =
        CO_TRY(co_await AskFor(resource, {.path = std::move(here), .accept = std::string(kAcceptList)}));
    auto page = ReadRemotePage(body);
    if (!page) co_return base::Err(Unavailable(page.error()));
    std::ranges::move(page->objects, std::back_inserter(objects));
    next = std::move(page->next);
    if (next.empty()) co_return objects;
  }
  co_return base::Err(Unavailable("the list has no end"));
}

RemoteClient::Asked<std::optional<RemoteObject>> RemoteClient::Get(RemoteResource resource, std::string ns,
                                                                   std::string name) const {
  if (!IsSegment(name)) co_return std::nullopt;  // no object has such a name
  const auto body = co_await AskFor(
      resource, {.path = ObjectPath(resource, ns, name), .accept = std::string(kAcceptObject)});
  if (!body && body.error().code == 404) co_return std::nullopt;
  if (!body) co_return base::Err(body.error());
  auto object = ReadObject(*body);
  if (!object) co_return base::Err(Unavailable(object.error()));
  co_return *std::move(object);
}

RemoteClient::Asked<void> RemoteClient::Delete(RemoteResource resource, std::string ns, std::string name,
                                               client::DeleteOptions options) const {
  CO_TRY(co_await AskFor(resource, {.method = "DELETE",
                                    .path = ObjectPath(resource, ns, name),
                                    .accept = "application/json",
                                    .content_type = "application/json",
                                    .body = DeletionBody(options)}));
  co_return client::Result<void>();
}

RemoteClient::Asked<void> RemoteClient::DeleteAll(RemoteResource resource, std::string ns) const {
  CO_TRY(
      co_await AskFor(resource, {.method = "DELETE",
                                 .path = CollectionPath(resource, ns),
                                 .accept = "application/json",
                                 .content_type = "application/json",
                                 .body = DeletionBody({.propagation = client::Propagation::kBackground})}));
  co_return client::Result<void>();
}

RemoteClient::Asked<void> RemoteClient::WriteOwnership(RemoteResource resource, RemoteObject object) const {
  CO_TRY(co_await AskFor(resource, {.method = "PATCH",
                                    .path = ObjectPath(resource, object.ns, object.name),
                                    .accept = std::string(kAcceptObject),
                                    .content_type = "application/merge-patch+json",
                                    .body = OwnershipPatch(object)}));
  co_return client::Result<void>();
}

}  // namespace keelson::aggregator

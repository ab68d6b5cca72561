#include "aggregator/discovery_document.h"

#include <unordered_map>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/generated/apidiscovery_v2.h"
#include "api/generated/meta_v1.h"
#include "endpoints/negotiation.h"

namespace keelson::aggregator {
namespace {

using namespace api::apidiscovery_v2;
using api::json::JsonWriter;
using api::meta_v1::APIResourceView;

template <class Resources>
base::Slice ListOf(const Resources& resources) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginArray();
  for (const auto resource : resources) {
    base::BufferBuilder one;
    api::json::Encode(*resource.node(), one);
    json.Raw(one.view());
  }
  json.EndArray();
  return out.Take();
}

// Clients of old read the kind without looking whether it is there.
void FillKinds(APIResourceDiscoveryEditor resource) {
  resource.mutable_response_kind();
  for (auto sub : resource.edit_subresources()) sub.mutable_response_kind();
}

void WriteKind(APIResourceView resource, JsonWriter& json) {
  json.Key("responseKind").BeginObject();
  json.Member("group", resource.group()).Member("version", resource.version());
  json.Member("kind", resource.kind()).EndObject();
}

// Subresources are listed beside the resources there, and below them here.
struct LegacyResource {
  APIResourceView own;  // null: only subresources of it are served
  std::string_view name;
  bool namespaced = false;
  std::vector<APIResourceView> subresources;
};

std::vector<LegacyResource> Nested(api::meta_v1::APIResourceListView list) {
  std::vector<LegacyResource> nested;
  std::unordered_map<std::string_view, size_t> places;
  for (const APIResourceView resource : list.resources()) {
    if (resource.name().find('/') != std::string_view::npos) continue;
    places.insert_or_assign(resource.name(), nested.size());
    nested.push_back({resource, resource.name(), resource.namespaced(), {}});
  }
  for (const APIResourceView resource : list.resources()) {
    const size_t slash = resource.name().find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view parent = resource.name().substr(0, slash);
    const auto [place, fresh] = places.try_emplace(parent, nested.size());
    if (fresh) nested.push_back({APIResourceView(), parent, resource.namespaced(), {}});
    nested[place->second].subresources.push_back(resource);
  }
  return nested;
}

void WriteStrings(std::string_view name, const auto& values, JsonWriter& json) {
  json.Key(name).BeginArray();
  for (const api::Value& value : values) json.String(value.string());
  json.EndArray();
}

void WriteLegacy(const LegacyResource& resource, JsonWriter& json) {
  json.BeginObject().Member("resource", resource.name);
  WriteKind(resource.own, json);
  json.Member("scope", resource.namespaced ? "Namespaced" : "Cluster");
  json.Member("singularResource", resource.own.singular_name());
  WriteStrings("verbs", resource.own.verbs(), json);
  if (!resource.own.short_names().empty()) WriteStrings("shortNames", resource.own.short_names(), json);
  if (!resource.own.categories().empty()) WriteStrings("categories", resource.own.categories(), json);
  if (!resource.subresources.empty()) {
    json.Key("subresources").BeginArray();
    for (const APIResourceView sub : resource.subresources) {
      json.BeginObject().Member("subresource", sub.name().substr(resource.name.size() + 1));
      WriteKind(sub, json);
      WriteStrings("verbs", sub.verbs(), json);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

base::Result<api::StructNode*, std::string> Decoded(std::string_view json, const api::TypeDesc& type,
                                                    std::string_view kind, api::Arena& arena) {
  const auto meta = api::json::PeekTypeMeta(json);
  if (!meta) return base::Err(meta.error().message);
  if (meta->kind != kind) return base::Err("expected " + std::string(kind) + ", got \"" + meta->kind + "\"");
  auto decoded = api::json::Decode(json, type, arena, nullptr);
  if (!decoded) return base::Err(decoded.error().message);
  return *decoded;
}

}  // namespace

base::Result<Discovered, std::string> ReadGroupDiscoveryList(std::string_view json) {
  api::Arena arena;
  auto* const root = TRY(Decoded(json, kAPIGroupDiscoveryListType, "APIGroupDiscoveryList", arena));
  Discovered discovered;
  for (auto group : APIGroupDiscoveryListEditor(root, &arena).edit_items())
    for (auto version : group.edit_versions()) {
      for (auto resource : version.edit_resources()) FillKinds(resource);
      discovered.insert_or_assign({std::string(group.metadata().name()), std::string(version.version())},
                                  ListOf(version.resources()));
    }
  return discovered;
}

base::Result<base::Slice, std::string> ReadResourceList(std::string_view json) {
  api::Arena arena;
  auto* const root = TRY(Decoded(json, api::meta_v1::kAPIResourceListType, "APIResourceList", arena));
  base::BufferBuilder out;
  JsonWriter writer(out);
  writer.BeginArray();
  for (const LegacyResource& resource : Nested(api::meta_v1::APIResourceListView(root)))
    WriteLegacy(resource, writer);
  writer.EndArray();
  return out.Take();
}

std::string ReadOpenApiUrl(std::string_view json, std::string_view key) {
  api::Arena arena;
  const auto index = api::json::DecodeAny(json, arena);
  if (!index) return {};
  const api::Value* at = &*index;
  for (const std::string_view step :
       {std::string_view("paths"), key, std::string_view("serverRelativeURL")}) {
    at = at->is(api::Value::Tag::kMap) ? api::MapView(at->map()).Find(step) : nullptr;
    if (!at) return {};
  }
  const std::string_view url = at->string();
  return url.starts_with("/openapi/v3/") ? std::string(url) : std::string();
}

bool IsGroupDiscoveryList(std::string_view content_type) {
  for (const endpoints::AcceptClause& clause : endpoints::ParseAccept(content_type))
    return clause.type == "application" && clause.subtype == "json" &&
           clause.Param("as") == "APIGroupDiscoveryList" && clause.Param("g") == "apidiscovery.k8s.io" &&
           (clause.Param("v") == "v2" || clause.Param("v") == "v2beta1");
  return false;
}

}  // namespace keelson::aggregator

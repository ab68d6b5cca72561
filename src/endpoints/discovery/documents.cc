#include "endpoints/discovery/documents.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml.h"
#include "api/meta/version_order.h"
#include "api/types/custom_type.h"
#include "base/fingerprint.h"
#include "endpoints/decode.h"
#include "endpoints/filters.h"
#include "endpoints/negotiation.h"
#include "endpoints/respond.h"

namespace keelson::endpoints::discovery {
namespace {

using api::json::JsonWriter;

constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct Version {
  std::string_view group, version;
  std::vector<const ServedResource*> resources;   // by name
  const RegisteredVersion* registered = nullptr;  // null: there is no APIService for it
};
struct Group {
  std::string_view name;
  std::vector<Version> versions;  // best first, as the tables have them
};
// A group in the classic form, which names versions whether they can be reached or not.
struct ListedGroup {
  std::string_view name;
  std::vector<std::string_view> versions;
};

// The group of APIServices has none of its own and comes first. Custom resources are registered with the
// others, soon after they are served.
constexpr int32_t kFirst = 1 << 30, kCustomGroup = 1000, kCustomVersion = 100;

int32_t GroupPriority(const Version& version) {
  if (version.registered) return version.registered->group_priority;
  const bool custom = !version.resources.empty() && api::IsCustom(*version.resources.front()->desc);
  return custom ? kCustomGroup : kFirst;
}
int32_t VersionPriority(const Version& version) {
  return version.registered ? version.registered->version_priority : kCustomVersion;
}
bool ComesFirst(const Version& a, const Version& b) {
  const int32_t x = VersionPriority(a), y = VersionPriority(b);
  return x != y ? x > y : a.version != b.version && api::BetterVersion(a.version, b.version);
}

std::vector<Group> GroupsOf(std::span<const ServedResource* const> resources) {
  std::vector<Group> groups;
  std::map<std::string_view, size_t> places;  // there may be thousands
  for (const ServedResource* resource : resources) {
    const auto [place, fresh] = places.try_emplace(resource->desc->group, groups.size());
    if (fresh) groups.push_back(Group{resource->desc->group, {}});
    Group& group = groups[place->second];
    auto version = std::ranges::find(group.versions, resource->desc->version, &Version::version);
    if (version == group.versions.end())
      version = group.versions.insert(version, Version{group.name, resource->desc->version, {}});
    version->resources.push_back(resource);
  }
  for (Group& group : groups)
    for (Version& version : group.versions)
      std::ranges::sort(version.resources, {}, [](const ServedResource* r) { return r->desc->plural; });
  return groups;
}

Version& VersionIn(std::vector<Group>& groups, std::string_view group, std::string_view version) {
  auto found = std::ranges::find(groups, group, &Group::name);
  if (found == groups.end()) found = groups.insert(found, Group{group, {}});
  auto its = std::ranges::find(found->versions, version, &Version::version);
  if (its == found->versions.end())
    its = found->versions.insert(its, Version{found->name, version, {}, nullptr});
  return *its;
}

// Adds what backends serve. A version that one serves is not served here.
void Register(const Registered& registered, std::vector<Group>& groups) {
  std::map<std::pair<std::string_view, std::string_view>, const RegisteredVersion*> local;
  bool remote = false;
  for (const RegisteredVersion& entry : registered) {
    if (!entry.remote) {
      local.emplace(std::pair(std::string_view(entry.group), std::string_view(entry.version)), &entry);
      continue;
    }
    Version& version = VersionIn(groups, entry.group, entry.version);
    version.registered = &entry;
    version.resources.clear();
    remote = true;
  }
  for (Group& group : groups)
    for (Version& version : group.versions)
      if (const auto found = local.find({version.group, version.version});
          found != local.end() && !version.registered)
        version.registered = found->second;
  if (!remote) return;
  const auto priority = [](const Group& group) {
    return GroupPriority(*std::ranges::max_element(group.versions, {}, GroupPriority));
  };
  for (Group& group : groups) std::ranges::stable_sort(group.versions, ComesFirst);
  std::ranges::stable_sort(groups, [&](const Group& a, const Group& b) {
    const int32_t x = priority(a), y = priority(b);
    return x != y ? x > y : a.name < b.name;
  });
}

// The groups besides the core one in upstream's order, which looks at the names of APIServices.
std::vector<ListedGroup> ListedGroups(const std::vector<Group>& groups, bool registered) {
  std::vector<ListedGroup> listed;
  if (!registered) {
    for (const Group& group : groups) {
      if (group.name.empty()) continue;
      listed.push_back({group.name, {}});
      for (const Version& version : group.versions) listed.back().versions.push_back(version.version);
    }
    return listed;
  }
  struct Entry {
    int32_t priority;
    std::string name;
    const Group* group;
  };
  std::vector<Entry> entries;
  for (const Group& group : groups)
    for (const Version& version : group.versions)
      if (!group.name.empty())
        entries.push_back(
            {GroupPriority(version), std::string(version.version).append(".").append(version.group), &group});
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
  });
  std::set<const Group*> seen;
  for (const Entry& entry : entries) {
    if (!seen.insert(entry.group).second) continue;
    std::vector<Version> versions = entry.group->versions;
    std::ranges::stable_sort(versions, ComesFirst);
    listed.push_back({entry.group->name, {}});
    for (const Version& version : versions) listed.back().versions.push_back(version.version);
  }
  return listed;
}

// The subresources that are served, by name.
std::vector<const api::SubresourceDesc*> SubresourcesOf(const ServedResource& resource) {
  std::vector<const api::SubresourceDesc*> served;
  for (const api::SubresourceDesc& sub : resource.desc->subresources)
    if (resource.subresources.contains(sub.name)) served.push_back(&sub);
  if (!api::IsCustom(*resource.desc)) std::ranges::sort(served, {}, &api::SubresourceDesc::name);
  return served;
}

// Its kind belongs to another group; group and version are told only then.
bool Foreign(const api::SubresourceDesc& sub, const api::ResourceDesc& resource) {
  return !sub.group.empty() && sub.group != resource.group;
}

void WriteResource(const ServedResource& resource, JsonWriter& json) {
  const api::ResourceDesc& desc = *resource.desc;
  json.BeginObject().Member("name", desc.plural).Member("singularName", desc.singular);
  json.Key("namespaced").Bool(desc.namespaced).Member("kind", desc.kind).Member("verbs", desc.verbs);
  if (!desc.short_names.empty()) json.Member("shortNames", desc.short_names);
  if (!desc.categories.empty()) json.Member("categories", desc.categories);
  if (!desc.storage_version_hash.empty()) json.Member("storageVersionHash", desc.storage_version_hash);
  json.EndObject();
  for (const api::SubresourceDesc* sub : SubresourcesOf(resource)) {
    json.BeginObject().Member("name", std::string(desc.plural) + "/" + std::string(sub->name));
    json.Member("singularName", "").Key("namespaced").Bool(desc.namespaced);
    if (Foreign(*sub, desc)) json.Member("group", sub->group).Member("version", sub->version);
    json.Member("kind", sub->kind).Member("verbs", sub->verbs).EndObject();
  }
}

void WriteResponseKind(std::string_view group, std::string_view version, std::string_view kind,
                       JsonWriter& json) {
  json.Key("responseKind").BeginObject();
  json.Member("group", group).Member("version", version).Member("kind", kind).EndObject();
}

void WriteAggregatedResource(const ServedResource& resource, JsonWriter& json) {
  const api::ResourceDesc& desc = *resource.desc;
  json.BeginObject().Member("resource", desc.plural);
  const bool custom = api::IsCustom(desc);  // whose kinds are named in full
  WriteResponseKind(custom ? desc.group : "", custom ? desc.version : "", desc.kind, json);
  json.Member("scope", desc.namespaced ? "Namespaced" : "Cluster").Member("singularResource", desc.singular);
  json.Member("verbs", desc.verbs);
  if (!desc.short_names.empty()) json.Member("shortNames", desc.short_names);
  if (!desc.categories.empty()) json.Member("categories", desc.categories);
  if (auto subs = SubresourcesOf(resource); !subs.empty()) {
    json.Key("subresources").BeginArray();
    for (const api::SubresourceDesc* sub : subs) {
      json.BeginObject().Member("subresource", sub->name);
      bool foreign = custom || Foreign(*sub, desc);
      WriteResponseKind(foreign ? sub->group : "", foreign ? sub->version : "", sub->kind, json);
      json.Member("verbs", sub->verbs).EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

base::Slice Finish(base::BufferBuilder& out) {
  out.Append('\n');
  return out.Take();
}

base::Slice ResourceList(const Version& version) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIResourceList");
  // The core group predates apiVersion here.
  if (!version.group.empty()) json.Member("apiVersion", "v1");
  json.Member("groupVersion", GroupVersionString(version.group, version.version))
      .Key("resources")
      .BeginArray();
  for (const ServedResource* resource : version.resources) WriteResource(*resource, json);
  json.EndArray().EndObject();
  return Finish(out);
}

void WriteGroupVersion(std::string_view group, std::string_view version, JsonWriter& json) {
  json.BeginObject().Member("groupVersion", GroupVersionString(group, version));
  json.Member("version", version).EndObject();
}

void WriteGroupMembers(const ListedGroup& group, JsonWriter& json) {
  json.Member("name", group.name).Key("versions").BeginArray();
  for (const std::string_view version : group.versions) WriteGroupVersion(group.name, version, json);
  json.EndArray().Key("preferredVersion");
  WriteGroupVersion(group.name, group.versions.front(), json);
}

base::Slice GroupDocument(const ListedGroup& group) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroup").Member("apiVersion", "v1");
  WriteGroupMembers(group, json);
  json.EndObject();
  return Finish(out);
}

base::Slice GroupList(const std::vector<ListedGroup>& groups) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroupList").Member("apiVersion", "v1").Key("groups").BeginArray();
  for (const ListedGroup& group : groups) {
    json.BeginObject();
    WriteGroupMembers(group, json);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return Finish(out);
}

base::Slice CoreVersions(const std::vector<Group>& groups, std::string_view server_address) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIVersions").Key("versions").BeginArray();
  for (const Group& group : groups)
    if (group.name.empty())
      for (const Version& version : group.versions) json.String(version.version);
  json.EndArray().Key("serverAddressByClientCIDRs").BeginArray().BeginObject();
  json.Member("clientCIDR", "0.0.0.0/0").Member("serverAddress", server_address);
  json.EndObject().EndArray().EndObject();
  return Finish(out);
}

base::Slice Aggregated(const std::vector<Group>& groups, bool core) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroupDiscoveryList").Member("apiVersion", "apidiscovery.k8s.io/v2");
  json.Key("metadata").BeginObject().EndObject().Key("items").BeginArray();
  for (const Group& group : groups) {
    if (group.name.empty() != core) continue;
    json.BeginObject().Key("metadata").BeginObject();
    if (!core) json.Member("name", group.name);
    json.EndObject().Key("versions").BeginArray();
    for (const Version& version : group.versions) {
      json.BeginObject().Member("version", version.version);
      const RegisteredVersion* const remote =
          version.registered && version.registered->remote ? version.registered : nullptr;
      if (!remote) {
        json.Key("resources").BeginArray();
        for (const ServedResource* resource : version.resources) WriteAggregatedResource(*resource, json);
        json.EndArray();
      } else if (remote->remote->view() != "[]") {
        json.Key("resources").Raw(remote->remote->view());
      }
      json.Member("freshness", remote && remote->stale ? "Stale" : "Current").EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return Finish(out);
}

// Whether the client prefers the aggregated form over the classic one.
bool WantsAggregated(const std::vector<AcceptClause>& clauses) {
  for (const AcceptClause& clause : clauses) {
    if (clause.type == "application" && clause.subtype == "json" &&
        clause.Param("as") == "APIGroupDiscoveryList" && clause.Param("g") == "apidiscovery.k8s.io" &&
        clause.Param("v") == "v2")
      return true;
    if (clause.Param("as").empty()) return false;
  }
  return false;
}

// What is said when a client accepts no form that documents have.
api::Status NotAcceptable() {
  return api::NotAcceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf");
}

// A document in its protobuf form, by way of its type.
std::optional<base::Slice> ToProtobuf(const base::Slice& json, std::string_view kind) {
  const api::TypeDesc* type = api::FindType("meta_v1." + std::string(kind));
  if (!type) return std::nullopt;
  auto decoded = DecodeBody(json, Media::kJson, *type, "", "v1", kind, false);
  if (!decoded) return std::nullopt;
  const auto claim = api::json::PeekTypeMeta(json.view());
  if (claim && claim->api_version.empty()) decoded->doc.root()->slot(1) = api::Value::String("");
  base::BufferBuilder out;
  api::protobuf::EncodeObject(decoded->doc, out);
  return out.Take();
}

}  // namespace

Documents::Documents(std::span<const ServedResource* const> resources, std::string_view server_address,
                     const Registered& registered) {
  std::vector<Group> groups = GroupsOf(resources);
  Register(registered, groups);
  const std::vector<ListedGroup> listed = ListedGroups(groups, !registered.empty());
  auto root = [&](const char* path, base::Slice json, const char* kind, bool core) {
    base::Slice aggregated = Aggregated(groups, core);
    std::string etag = "\"" + base::Fingerprint(aggregated.view()) + "\"";
    documents_[path] = {std::move(json), kind, std::move(aggregated), std::move(etag)};
  };
  root("/api", CoreVersions(groups, server_address), "APIVersions", true);
  root("/apis", GroupList(listed), "APIGroupList", false);
  for (const ListedGroup& group : listed)
    documents_["/apis/" + std::string(group.name)] = {GroupDocument(group), "APIGroup"};
  for (const Group& group : groups) {
    std::string base = group.name.empty() ? "/api" : "/apis/" + std::string(group.name);
    for (const Version& version : group.versions)
      if (!version.registered || !version.registered->remote)
        documents_[base + "/" + std::string(version.version)] = {ResourceList(version), "APIResourceList"};
  }
}

std::optional<net::http::Response> Documents::Handle(std::string_view path,
                                                     const net::http::Request& request) const {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  auto found = documents_.find(path);
  if (found == documents_.end()) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD")
    return StatusResponse(api::GenericServerResponse(405, "", {}, "", ""), request.headers.Joined("accept"));
  return Serve(found->second, request);
}

net::http::Response Documents::Serve(const Document& document, const net::http::Request& request) const {
  net::http::Response response;
  if (!document.aggregated.empty() && WantsAggregated(ParseAccept(request.headers.Joined("accept")))) {
    response.headers.Add("etag", document.aggregated_etag);
    response.headers.Add("vary", "Accept");
    if (request.headers.Get("if-none-match") == document.aggregated_etag) {
      response.status = 304;
      return response;
    }
    response.headers.Add("content-type", kAggregatedType);
    response.body = net::http::FixedBody(document.aggregated);
    return response;
  }
  Query query(request.query);
  auto output = NegotiateOutput(request.headers, query, AnswerKind::kObject);
  if (!output || output->target != Target::kNone)
    return StatusResponse(NotAcceptable(), NegotiateStatus(request.headers, query));
  std::optional<base::Slice> protobuf;
  if (output->media == Media::kProtobuf) protobuf = ToProtobuf(document.json, document.kind);
  if (protobuf) {
    response.headers.Add("content-type", ContentType(Media::kProtobuf));
    response.body = net::http::FixedBody(*std::move(protobuf));
  } else if (output->media == Media::kYaml) {
    response.headers.Add("content-type", ContentType(Media::kYaml));
    response.body = net::http::FixedBody(base::Slice::Copy(api::yaml::FromJson(document.json.view())));
  } else {
    response.headers.Add("content-type", ContentType(Media::kJson));
    response.body = net::http::FixedBody(document.json);
    if (output->pretty) response.body = Prettied(std::move(response.body));
  }
  return response;
}

}  // namespace keelson::endpoints::discovery

#include "endpoints/openapi/document.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/codec/json_writer.h"
#include "endpoints/openapi/schema.h"

namespace keelson::endpoints::openapi {
namespace {

using api::ResourceDesc;
using api::json::JsonWriter;

struct Parameter {
  std::string_view name;
  std::string_view type;
};
constexpr Parameter kWriteParameters[] = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}};
constexpr Parameter kPatchParameters[] = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}, {"force", "boolean"}};
constexpr Parameter kDeleteParameters[] = {{"dryRun", "string"},
                                           {"gracePeriodSeconds", "integer"},
                                           {"orphanDependents", "boolean"},
                                           {"propagationPolicy", "string"}};
constexpr Parameter kListParameters[] = {{"allowWatchBookmarks", "boolean"},
                                         {"continue", "string"},
                                         {"fieldSelector", "string"},
                                         {"labelSelector", "string"},
                                         {"limit", "integer"},
                                         {"resourceVersion", "string"},
                                         {"resourceVersionMatch", "string"},
                                         {"sendInitialEvents", "boolean"},
                                         {"timeoutSeconds", "integer"},
                                         {"watch", "boolean"}};

// How one verb of the API appears on a path.
struct VerbForm {
  std::string_view verb;    // as in ResourceDesc::verbs
  std::string_view method;  // key in the path item
  std::string_view action;  // x-kubernetes-action
  std::string_view id;      // start of the operationId
  bool collection;
  std::span<const Parameter> parameters;
};
constexpr VerbForm kVerbs[] = {
    {"list", "get", "list", "list", true, kListParameters},
    {"create", "post", "post", "create", true, kWriteParameters},
    {"deletecollection", "delete", "deletecollection", "delete", true, kListParameters},
    {"get", "get", "get", "read", false, {}},
    {"update", "put", "put", "replace", false, kWriteParameters},
    {"patch", "patch", "patch", "patch", false, kPatchParameters},
    {"delete", "delete", "delete", "delete", false, kDeleteParameters},
};

std::string Capitalized(std::string_view s) {
  std::string out(s);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

void WriteParameter(std::string_view name, std::string_view in, std::string_view type, JsonWriter& out) {
  out.BeginObject().Member("name", name).Member("in", in);
  if (in == "path") out.Key("required").Bool(true);
  out.Key("schema").BeginObject().Member("type", type).Key("uniqueItems").Bool(true).EndObject().EndObject();
}

void WriteContent(std::span<const std::string_view> media_types, const api::TypeDesc& type, JsonWriter& out) {
  out.Key("content").BeginObject();
  for (std::string_view media_type : media_types) {
    out.Key(media_type).BeginObject().Key("schema");
    WriteTypeSchema(type, out);
    out.EndObject();
  }
  out.EndObject();
}

void WriteResponse(std::string_view code, std::string_view description, const api::TypeDesc* type,
                   JsonWriter& out) {
  static constexpr std::string_view kAnswers[] = {"application/json", "application/vnd.kubernetes.protobuf",
                                                  "application/yaml"};
  out.Key(code).BeginObject().Member("description", description);
  if (type) WriteContent(kAnswers, *type, out);
  out.EndObject();
}

void WriteBody(const VerbForm& verb, const ResourceDesc& resource, JsonWriter& out) {
  static constexpr std::string_view kAnything[] = {"*/*"};
  static constexpr std::string_view kPatches[] = {"application/merge-patch+json"};
  if (verb.verb == "create" || verb.verb == "update") {
    out.Key("requestBody").BeginObject();
    WriteContent(kAnything, *resource.type, out);
    out.Key("required").Bool(true).EndObject();
  } else if (verb.verb == "patch") {
    if (const api::TypeDesc* patch = api::FindType("meta_v1.Patch")) {
      out.Key("requestBody").BeginObject();
      WriteContent(kPatches, *patch, out);
      out.Key("required").Bool(true).EndObject();
    }
  } else if (verb.verb == "delete" || verb.verb == "deletecollection") {
    out.Key("requestBody").BeginObject();
    WriteContent(kAnything, *api::FindType("meta_v1.DeleteOptions"), out);
    out.EndObject();
  }
}

// One operation. `scope` goes into its id: "Namespaced" or "".
void WriteOperation(const VerbForm& verb, const ResourceDesc& resource, std::string_view subresource,
                    std::string_view scope, std::string_view id_suffix, JsonWriter& out) {
  const std::string group =
      resource.group.empty() ? "core" : std::string(resource.group.substr(0, resource.group.find('.')));
  std::string id(verb.id);
  id.append(Capitalized(group)).append(Capitalized(resource.version));
  if (verb.verb == "deletecollection") id.append("Collection");
  id.append(scope).append(resource.kind).append(Capitalized(subresource)).append(id_suffix);

  out.Key(verb.method).BeginObject();
  out.Key("tags").BeginArray().String(group + "_" + std::string(resource.version)).EndArray();
  out.Member("operationId", id);
  if (!verb.parameters.empty()) {
    out.Key("parameters").BeginArray();
    for (const auto& p : verb.parameters) WriteParameter(p.name, "query", p.type, out);
    out.EndArray();
  }
  WriteBody(verb, resource, out);
  out.Key("responses").BeginObject();
  const bool deletes = verb.verb == "delete" || verb.verb == "deletecollection";
  const api::TypeDesc* answer = verb.verb == "list" ? resource.list_type
                                : deletes           ? api::FindType("meta_v1.Status")
                                                    : resource.type;
  WriteResponse("200", "OK", answer, out);
  if (verb.verb == "create" || verb.verb == "update") WriteResponse("201", "Created", answer, out);
  WriteResponse("401", "Unauthorized", nullptr, out);
  out.EndObject();
  out.Member("x-kubernetes-action", verb.action);
  out.Key("x-kubernetes-group-version-kind").BeginObject();
  out.Member("group", resource.group).Member("version", resource.version).Member("kind", resource.kind);
  out.EndObject().EndObject();
}

struct PathForm {
  std::string path;
  const ResourceDesc* resource;
  std::string_view subresource;
  bool collection;
  bool all_namespaces;
};

std::vector<PathForm> Paths(const ResourceDesc& resource, const std::string& root) {
  std::vector<PathForm> paths;
  const std::string plural(resource.plural);
  const std::string base =
      resource.namespaced ? root + "/namespaces/{namespace}/" + plural : root + "/" + plural;
  if (resource.namespaced) paths.push_back({root + "/" + plural, &resource, {}, true, true});
  paths.push_back({base, &resource, {}, true, false});
  paths.push_back({base + "/{name}", &resource, {}, false, false});
  for (const auto& sub : resource.subresources)
    if (sub.kind == resource.kind)
      paths.push_back({base + "/{name}/" + std::string(sub.name), &resource, sub.name, false, false});
  return paths;
}

std::span<const std::string_view> VerbsOf(const PathForm& path) {
  for (const auto& sub : path.resource->subresources)
    if (!path.subresource.empty() && sub.name == path.subresource) return sub.verbs;
  return path.resource->verbs;
}

void WritePath(const PathForm& path, JsonWriter& out) {
  const ResourceDesc& resource = *path.resource;
  const auto verbs = VerbsOf(path);
  out.Key(path.path).BeginObject();
  for (const auto& verb : kVerbs) {
    if (verb.collection != path.collection || (path.all_namespaces && verb.verb != "list")) continue;
    if (std::ranges::find(verbs, verb.verb) == verbs.end()) continue;
    const bool namespaced = resource.namespaced && !path.all_namespaces;
    WriteOperation(verb, resource, path.subresource, namespaced ? "Namespaced" : "",
                   path.all_namespaces ? "ForAllNamespaces" : "", out);
  }
  out.Key("parameters").BeginArray();
  if (!path.collection) WriteParameter("name", "path", "string", out);
  if (resource.namespaced && !path.all_namespaces) WriteParameter("namespace", "path", "string", out);
  WriteParameter("pretty", "query", "string", out);
  out.EndArray().EndObject();
}

}  // namespace

base::Slice BuildDocument(api::GroupVersion gv, std::span<const ResourceDesc* const> resources) {
  const std::string root = gv.group.empty()
                               ? "/api/" + std::string(gv.version)
                               : "/apis/" + std::string(gv.group) + "/" + std::string(gv.version);
  std::map<std::string, PathForm> paths;
  SchemaSet schemas;
  for (const char* shared : {"meta_v1.Status", "meta_v1.DeleteOptions", "meta_v1.Patch"})
    if (const api::TypeDesc* type = api::FindType(shared)) schemas.Add(*type);
  for (const ResourceDesc* resource : resources) {
    if (resource->type) schemas.Add(*resource->type);
    if (resource->list_type) schemas.Add(*resource->list_type);
    for (auto& path : Paths(*resource, root)) paths.emplace(path.path, path);
  }

  base::BufferBuilder bytes(256 << 10);
  JsonWriter out(bytes);
  out.BeginObject().Member("openapi", "3.0.0");
  out.Key("info").BeginObject().Member("title", "Kubernetes").Member("version", "1.36").EndObject();
  out.Key("paths").BeginObject();
  for (const auto& [name, path] : paths) WritePath(path, out);
  out.EndObject().Key("components").BeginObject().Key("schemas").BeginObject();
  schemas.Write(out);
  out.EndObject().Key("securitySchemes").BeginObject().Key("BearerToken").BeginObject();
  out.Member("type", "apiKey").Member("name", "authorization").Member("in", "header");
  out.EndObject().EndObject().EndObject().EndObject();
  return bytes.Take();
}

}  // namespace keelson::endpoints::openapi

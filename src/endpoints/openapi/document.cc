#include "endpoints/openapi/document.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/codec/json_writer.h"

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
struct PathVerb {
  std::string_view verb;    // as in ResourceDesc::verbs
  std::string_view method;  // key in the path item
  std::string_view action;  // x-kubernetes-action
  std::string_view id;      // start of the operationId
  bool collection;
  std::span<const Parameter> parameters;
};
constexpr PathVerb kVerbs[] = {
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

constexpr std::string_view kAnswers[] = {"application/json", "application/vnd.kubernetes.protobuf",
                                         "application/yaml"};
constexpr std::string_view kPatches[] = {"application/apply-patch+yaml", "application/json-patch+json",
                                         "application/merge-patch+json",
                                         "application/strategic-merge-patch+json"};
constexpr std::string_view kAnything[] = {"*/*"};

// Custom kinds have no protobuf form, and nothing is known of how to merge them but by their keys.
constexpr std::string_view kCustomAnswers[] = {"application/json", "application/yaml"};
constexpr std::string_view kCustomPatches[] = {"application/apply-patch+yaml", "application/json-patch+json",
                                               "application/merge-patch+json"};

// A schema: of a built-in type, or of a custom kind by its name.
struct Described {
  const api::TypeDesc* type = nullptr;
  std::string_view custom = {};
  explicit operator bool() const { return type || !custom.empty(); }
};

// What a resource or subresource is read and written as.
struct Body {
  Described type;
  std::string_view group, version, kind;
};

// One operation on one path.
struct Operation {
  const PathVerb& verb;
  const ResourceDesc& resource;
  Body body;
  std::string id;
  const CustomDefinition* custom = nullptr;  // of a custom resource
};

bool Deletes(const PathVerb& verb) { return verb.verb == "delete" || verb.verb == "deletecollection"; }

// What the client sends; null: nothing. `required`: it must.
Described RequestType(const Operation& operation, bool& required) {
  const std::string_view verb = operation.verb.verb;
  required = !Deletes(operation.verb);
  if (verb == "create" || verb == "update") return operation.body.type;
  if (Deletes(operation.verb)) return {api::FindType("meta_v1.DeleteOptions")};
  return {};
}

Described AnswerType(const Operation& operation) {
  if (operation.verb.verb == "list" && operation.custom) return {nullptr, operation.custom->list_name};
  if (operation.verb.verb == "list") return {operation.resource.list_type};
  if (Deletes(operation.verb)) return {api::FindType("meta_v1.Status")};
  return operation.body.type;
}

// The parts in which the two dialects differ.
class Writer {
 public:
  Writer(Dialect dialect, JsonWriter& out) : dialect_(dialect), out_(out) {}

  void Parameter(std::string_view name, std::string_view in, std::string_view type) {
    out_.BeginObject().Member("name", name).Member("in", in);
    if (in == "path") out_.Key("required").Bool(true);
    if (dialect_ == Dialect::kV3) out_.Key("schema").BeginObject();
    out_.Member("type", type).Key("uniqueItems").Bool(true);
    if (dialect_ == Dialect::kV3) out_.EndObject();
    out_.EndObject();
  }

  void Write(const Operation& operation) {
    const PathVerb& verb = operation.verb;
    const std::string tag = GroupWord(operation.resource) + "_" + std::string(operation.resource.version);
    out_.Key(verb.method).BeginObject().Key("tags").BeginArray().String(tag).EndArray();
    out_.Member("operationId", operation.id);
    bool required = false;
    const Described request = RequestType(operation, required);
    if (dialect_ == Dialect::kV2) {
      if (verb.verb == "patch") {
        out_.Member("consumes", PatchesOf(operation.custom != nullptr));
      } else {
        out_.Member("consumes", kAnything);
      }
      out_.Member("produces", AnswersOf(operation.custom != nullptr));
    }
    out_.Key("parameters").BeginArray();
    for (const auto& p : verb.parameters) Parameter(p.name, "query", p.type);
    if (dialect_ == Dialect::kV2) BodyParameter(verb, request, required);
    out_.EndArray();
    if (dialect_ == Dialect::kV3) RequestBody(verb, request, required, operation.custom != nullptr);
    Responses(operation);
    out_.Member("x-kubernetes-action", verb.action);
    out_.Key("x-kubernetes-group-version-kind").BeginObject();
    out_.Member("group", operation.body.group).Member("version", operation.body.version);
    out_.Member("kind", operation.body.kind).EndObject().EndObject();
  }

  static std::string GroupWord(const ResourceDesc& resource) {
    return resource.group.empty() ? "core" : std::string(resource.group.substr(0, resource.group.find('.')));
  }

 private:
  // A patch may be anything.
  void Schema(Described type) {
    out_.Key("schema");
    if (type.type) return WriteTypeSchema(*type.type, dialect_, out_);
    if (!type.custom.empty()) {
      out_.BeginObject().Member("$ref", ReferenceTo(type.custom, dialect_)).EndObject();
      return;
    }
    out_.BeginObject().Member("type", "object").EndObject();
  }

  void Content(std::span<const std::string_view> media_types, Described type) {
    out_.Key("content").BeginObject();
    for (std::string_view media_type : media_types) {
      out_.Key(media_type).BeginObject();
      Schema(type);
      out_.EndObject();
    }
    out_.EndObject();
  }

  void BodyParameter(const PathVerb& verb, Described type, bool required) {
    if (!type && verb.verb != "patch") return;
    out_.BeginObject().Member("name", "body").Member("in", "body");
    if (required) out_.Key("required").Bool(true);
    Schema(type);
    out_.EndObject();
  }

  void RequestBody(const PathVerb& verb, Described type, bool required, bool custom) {
    const bool patch = verb.verb == "patch";
    if (!type && !patch) return;
    out_.Key("requestBody").BeginObject();
    Content(patch ? PatchesOf(custom) : kAnything, type);
    if (required) out_.Key("required").Bool(true);
    out_.EndObject();
  }

  void Responses(const Operation& operation) {
    const std::string_view verb = operation.verb.verb;
    const Described answer = AnswerType(operation);
    custom_ = operation.custom != nullptr;
    out_.Key("responses").BeginObject();
    Response("200", "OK", answer);
    if (verb == "create" || verb == "update" || verb == "patch") Response("201", "Created", answer);
    if (verb == "create" || verb == "delete") Response("202", "Accepted", answer);
    Response("401", "Unauthorized", {});
    out_.EndObject();
  }

  void Response(std::string_view code, std::string_view description, Described type) {
    out_.Key(code).BeginObject().Member("description", description);
    if (type && dialect_ == Dialect::kV2) Schema(type);
    if (type && dialect_ == Dialect::kV3) Content(AnswersOf(custom_), type);
    out_.EndObject();
  }

  static std::span<const std::string_view> AnswersOf(bool custom) {
    return custom ? std::span<const std::string_view>(kCustomAnswers) : kAnswers;
  }
  static std::span<const std::string_view> PatchesOf(bool custom) {
    return custom ? std::span<const std::string_view>(kCustomPatches) : kPatches;
  }

  const Dialect dialect_;
  JsonWriter& out_;
  bool custom_ = false;  // the operation that is being written
};

struct ApiPath {
  const ResourceDesc* resource;
  const api::SubresourceDesc* subresource;  // null: the resource itself
  bool collection;
  bool all_namespaces;
  const CustomDefinition* custom = nullptr;
};

std::string RootOf(const ResourceDesc& resource) {
  std::string root = resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  return root.append(resource.version);
}

// A subresource that is a stream or plain text has no place here.
bool IsObject(const api::SubresourceDesc& sub) {
  return sub.name != "log" && !sub.kind.ends_with("Options") &&
         api::FindKind(sub.group, sub.version, sub.kind) != nullptr;
}

void AddPaths(const ResourceDesc& resource, std::map<std::string, ApiPath>& paths,
              const CustomDefinition* custom = nullptr) {
  const std::string root = RootOf(resource), plural(resource.plural);
  const std::string base =
      resource.namespaced ? root + "/namespaces/{namespace}/" + plural : root + "/" + plural;
  const auto has = [&](std::string_view verb) {
    return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
  };
  if (resource.namespaced && has("list"))
    paths[root + "/" + plural] = {&resource, nullptr, true, true, custom};
  paths[base] = {&resource, nullptr, true, false, custom};
  if (has("get")) paths[base + "/{name}"] = {&resource, nullptr, false, false, custom};
  for (const api::SubresourceDesc& sub : resource.subresources)
    if (custom || IsObject(sub))
      paths[base + "/{name}/" + std::string(sub.name)] = {&resource, &sub, false, false, custom};
}

Body BodyOf(const ApiPath& path) {
  const ResourceDesc& r = *path.resource;
  const bool own = !path.subresource || (path.custom && path.subresource->kind == r.kind);
  if (own && path.custom) return {{nullptr, path.custom->name}, r.group, r.version, r.kind};
  if (own) return {{r.type}, r.group, r.version, r.kind};
  const api::SubresourceDesc& s = *path.subresource;
  return {{api::FindKind(s.group, s.version, s.kind)}, s.group, s.version, s.kind};
}

std::string OperationId(const PathVerb& verb, const ApiPath& path) {
  const ResourceDesc& resource = *path.resource;
  std::string id(verb.id);
  id.append(Capitalized(Writer::GroupWord(resource))).append(Capitalized(resource.version));
  if (verb.verb == "deletecollection") id.append("Collection");
  if (resource.namespaced && !path.all_namespaces) id.append("Namespaced");
  id.append(resource.kind);
  if (path.subresource) id.append(Capitalized(path.subresource->name));
  if (path.all_namespaces) id.append("ForAllNamespaces");
  return id;
}

// The members of the path item, into an object that is open.
void WritePath(const ApiPath& path, Dialect dialect, JsonWriter& out) {
  Writer writer(dialect, out);
  const ResourceDesc& resource = *path.resource;
  const auto verbs = path.subresource ? path.subresource->verbs : resource.verbs;
  for (const PathVerb& verb : kVerbs) {
    // One creates below an object, and in a collection.
    const bool fits = verb.collection == path.collection || (path.subresource && verb.verb == "create");
    if (!fits || (path.all_namespaces && verb.verb != "list")) continue;
    if (std::ranges::find(verbs, verb.verb) == verbs.end()) continue;
    writer.Write({verb, resource, BodyOf(path), OperationId(verb, path), path.custom});
  }
  out.Key("parameters").BeginArray();
  if (!path.collection) writer.Parameter("name", "path", "string");
  if (resource.namespaced && !path.all_namespaces) writer.Parameter("namespace", "path", "string");
  writer.Parameter("pretty", "query", "string");
  out.EndArray();
}

constexpr std::string_view kSecurity =
    R"({"BearerToken":{"type":"apiKey","name":"authorization","in":"header"}})";

// The schema of a list, into an object that is open.
void WriteListSchema(const CustomDefinition& custom, Dialect dialect, JsonWriter& out) {
  const ResourceDesc& desc = *custom.desc;
  out.Member("description", std::string(desc.list_kind) + " is a list of " + std::string(desc.kind));
  out.Member("type", "object").Key("required").BeginArray().String("items").EndArray();
  out.Key("properties").BeginObject();
  const auto text = [&](std::string_view name, std::string_view description) {
    out.Key(name).BeginObject().Member("description", description).Member("type", "string").EndObject();
  };
  text("apiVersion", kApiVersionText);
  out.Key("items").BeginObject().Member("description", "List of " + std::string(desc.plural) + ".");
  out.Member("type", "array").Key("items").BeginObject();
  out.Member("$ref", ReferenceTo(custom.name, dialect)).EndObject().EndObject();
  text("kind", kKindText);
  out.Key("metadata").BeginObject();
  out.Member("$ref", ReferenceTo(DefinitionName("meta_v1.ListMeta"), dialect)).EndObject().EndObject();
  out.Key("x-kubernetes-group-version-kind").BeginArray().BeginObject();
  out.Member("group", desc.group).Member("kind", desc.list_kind).Member("version", desc.version);
  out.EndObject().EndArray();
}

}  // namespace

std::string CustomDefinitionName(std::string_view group, std::string_view version, std::string_view kind) {
  std::string name;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    name.append(group.substr(dot == group.npos ? 0 : dot + 1)).append(".");
    group = group.substr(0, dot == group.npos ? 0 : dot);
  }
  return name.append(version).append(".").append(kind);
}

Document::Document(std::span<const ResourceDesc* const> resources, Dialect dialect,
                   std::span<const CustomDefinitionPtr> custom)
    : resources_(resources), custom_(custom), dialect_(dialect) {}

void Document::ForEachPath(const std::function<void(std::string_view, std::string_view)>& take) const {
  std::map<std::string, ApiPath> paths;
  for (const ResourceDesc* resource : resources_) AddPaths(*resource, paths);
  for (const CustomDefinitionPtr& custom : custom_) AddPaths(*custom->desc, paths, custom.get());
  for (const auto& [name, path] : paths) {
    base::BufferBuilder item;
    JsonWriter out(item);
    out.BeginObject();
    WritePath(path, dialect_, out);
    out.EndObject();
    take(name, item.view());
  }
}

void Document::ForEachSchema(const std::function<void(std::string_view, std::string_view)>& take) const {
  SchemaSet schemas(dialect_);
  for (const char* shared : {"meta_v1.Status", "meta_v1.DeleteOptions", "meta_v1.WatchEvent"})
    if (const api::TypeDesc* type = api::FindType(shared)) schemas.Add(*type);
  for (const ResourceDesc* resource : resources_) {
    schemas.Add(*resource->type);
    if (resource->list_type) schemas.Add(*resource->list_type);
    for (const api::SubresourceDesc& sub : resource->subresources)
      if (IsObject(sub)) schemas.Add(*api::FindKind(sub.group, sub.version, sub.kind));
  }
  for (const CustomDefinitionPtr& custom : custom_) {
    for (const char* used : {"meta_v1.ObjectMeta", "meta_v1.ListMeta"}) schemas.Add(*api::FindType(used));
    for (const api::SubresourceDesc& sub : custom->desc->subresources)
      if (sub.kind != custom->desc->kind) schemas.Add(*api::FindKind(sub.group, sub.version, sub.kind));
  }
  schemas.ForEach(take);
  for (const CustomDefinitionPtr& custom : custom_) {
    base::BufferBuilder schema, list;
    custom->write(dialect_, schema);
    take(custom->name, schema.view());
    JsonWriter out(list);
    out.BeginObject();
    WriteListSchema(*custom, dialect_, out);
    out.EndObject();
    take(custom->list_name, list.view());
  }
}

base::Slice Document::Json() const {
  base::BufferBuilder bytes(256 << 10);
  JsonWriter out(bytes);
  const auto member = [&](std::string_view name, std::string_view json) { out.Key(name).Raw(json); };
  const bool v2 = dialect_ == Dialect::kV2;
  out.BeginObject().Member(v2 ? "swagger" : "openapi", v2 ? "2.0" : "3.0.0");
  out.Key("info").BeginObject().Member("title", kTitle).Member("version", kApiVersion).EndObject();
  out.Key("paths").BeginObject();
  ForEachPath(member);
  out.EndObject();
  if (v2) {
    out.Key("definitions").BeginObject();
    ForEachSchema(member);
    out.EndObject().Key("securityDefinitions").Raw(kSecurity);
  } else {
    out.Key("components").BeginObject().Key("schemas").BeginObject();
    ForEachSchema(member);
    out.EndObject().Key("securitySchemes").Raw(kSecurity).EndObject();
  }
  out.EndObject();
  return bytes.Take();
}

}  // namespace keelson::endpoints::openapi

#include "endpoints/openapi/paths.h"

#include <algorithm>
#include <compare>
#include <set>
#include <tuple>

#include "api/codec/json_writer.h"
#include "base/fingerprint.h"

namespace keelson::endpoints::openapi {
namespace {

using api::ResourceDesc;
using api::json::JsonWriter;
using Role = PathSet::Role;

constexpr std::string_view kAnything[] = {"*/*"};
constexpr std::string_view kObjectForms[] = {"application/json", "application/yaml",
                                             "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kCborObjectForms[] = {"application/json", "application/yaml",
                                                 "application/vnd.kubernetes.protobuf", "application/cbor"};
constexpr std::string_view kWatchedForms[] = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::string_view kCborWatchedForms[] = {"application/json",
                                                  "application/yaml",
                                                  "application/vnd.kubernetes.protobuf",
                                                  "application/cbor",
                                                  "application/json;stream=watch",
                                                  "application/vnd.kubernetes.protobuf;stream=watch",
                                                  "application/cbor-seq"};
constexpr std::string_view kLogForms[] = {"text/plain", "application/json", "application/yaml",
                                          "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kCborLogForms[] = {"text/plain", "application/json", "application/yaml",
                                              "application/vnd.kubernetes.protobuf", "application/cbor"};
constexpr std::string_view kPatchForms[] = {"application/json-patch+json", "application/merge-patch+json",
                                            "application/strategic-merge-patch+json",
                                            "application/apply-patch+yaml"};
constexpr std::string_view kCborPatchForms[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json",
    "application/apply-patch+yaml", "application/apply-patch+cbor"};
// Custom kinds have no protobuf form, and nothing is known of how to merge them but by their keys. Upstream's
// documents name no CBOR for them.
constexpr std::string_view kCustomForms[] = {"application/json", "application/yaml"};
constexpr std::string_view kCustomPatchForms[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};
constexpr std::string_view kJsonForm[] = {"application/json"};
constexpr std::string_view kKeySetForm[] = {"application/jwk-set+json"};

// The media types of built-in kinds.
struct Forms {
  Strings object, watched, log, patch;
};
constexpr Forms kForms{kObjectForms, kWatchedForms, kLogForms, kPatchForms};
constexpr Forms kCborForms{kCborObjectForms, kCborWatchedForms, kCborLogForms, kCborPatchForms};

const Forms& FormsOf(const Behaviour& behaviour) { return behaviour.cbor ? kCborForms : kForms; }

// How one verb of the API appears on a path.
struct PathVerb {
  std::string_view verb;    // as in ResourceDesc::verbs
  std::string_view method;  // key in the path item
  std::string_view action;  // x-kubernetes-action
  std::string_view id;      // start of the operationId
  bool collection;
  std::string_view options;  // whose fields are its parameters; empty: none
  std::string_view text;     // what it does, before the name of the kind
};
constexpr PathVerb kVerbs[] = {
    {"list", "get", "list", "list", true, "meta_v1.ListOptions",
     "lists objects, or watches them, of the kind "},
    {"create", "post", "post", "create", true, "meta_v1.CreateOptions", "creates one object of the kind "},
    {"deletecollection", "delete", "deletecollection", "delete", true, "meta_v1.DeleteOptions",
     "deletes all objects that are selected, of the kind "},
    {"get", "get", "get", "read", false, "", "reads one object of the kind "},
    {"update", "put", "put", "replace", false, "meta_v1.UpdateOptions", "replaces one object of the kind "},
    {"patch", "patch", "patch", "patch", false, "meta_v1.PatchOptions",
     "changes parts of one object of the kind "},
    {"delete", "delete", "delete", "delete", false, "meta_v1.DeleteOptions",
     "deletes one object of the kind "},
};

// A schema: of a built-in type, a definition by its name, or text.
struct Described {
  const api::TypeDesc* type = nullptr;
  std::string_view definition = {};
  bool is_text = false;
  explicit operator bool() const { return type || is_text || !definition.empty(); }
};

struct ParameterDesc {
  std::string_view name, in, type;
  std::string text;  // what it is for
  // Two of the same name are the same, whatever is said of them.
  auto operator<=>(const ParameterDesc& other) const {
    return std::tie(name, in, type) <=> std::tie(other.name, other.in, other.type);
  }
  bool operator==(const ParameterDesc& other) const { return (*this <=> other) == 0; }
};
using Parameters = std::vector<ParameterDesc>;  // in order, each once

// One method of one path.
struct OperationDesc {
  std::string_view method, action;
  std::string id, tag, text;
  Parameters parameters;
  Described request, answer;  // no request: nothing is sent
  bool request_required = false;
  std::vector<std::string_view> codes;  // with which the answer comes
  Strings consumes, produces;
  std::string_view group, version, kind;  // of what it is about
};

// ---- names

// "rbac.authorization" as "rbacAuthorization", capitalized if it is not the first word of a name.
std::string Word(std::string_view text, bool capitalize) {
  std::string word;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
      capitalize = true;
      continue;
    }
    word += capitalize && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    capitalize = false;
  }
  return word;
}

std::string_view GroupName(std::string_view group) {
  constexpr std::string_view kCommonEnd = ".k8s.io";
  if (group.ends_with(kCommonEnd)) group.remove_suffix(kCommonEnd.size());
  return group.empty() ? "core" : group;
}

std::string Tag(const ResourceDesc& resource) {
  return Word(GroupName(resource.group), false) + "_" + Word(resource.version, false);
}

// "list", "NamespacedPod" → "listCoreV1NamespacedPod".
std::string OperationId(std::string_view start, const ResourceDesc& resource, std::string_view rest) {
  std::string id(start);
  return id.append(Word(GroupName(resource.group), true))
      .append(Word(resource.version, true))
      .append(Word(rest, true));
}

std::string RootOf(const ResourceDesc& resource) {
  std::string root = resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  return root.append(resource.version);
}

bool Has(Strings names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

// ---- parameters

std::string_view ParameterType(const api::TypeDesc& type) {
  switch (type.kind) {
    case api::Kind::kBool: return "boolean";
    case api::Kind::kInt32:
    case api::Kind::kInt64: return "integer";
    case api::Kind::kString: return "string";
    case api::Kind::kList: return ParameterType(*type.element);
    default: return "";
  }
}

// The fields that have a place in a query.
void AddFields(std::string_view options, PathContext& context, Parameters& parameters, Strings except = {}) {
  const api::TypeDesc* const type = api::FindType(options);
  if (!type) return;
  for (const api::FieldDesc& field : type->fields) {
    const std::string_view kind = ParameterType(*field.type);
    if (field.has(api::FieldDesc::kTypeMeta) || kind.empty() || Has(except, field.name)) continue;
    parameters.push_back({field.name, "query", kind, std::string(context.words.Of(*type, field))});
  }
}

void Settle(Parameters& parameters) {
  std::ranges::stable_sort(parameters);
  parameters.erase(std::ranges::unique(parameters).begin(), parameters.end());
}

// ---- operations

bool IsWatch(Role role) {
  return role == Role::kWatchAll || role == Role::kWatchCollection || role == Role::kWatchObject;
}
bool IsOfStream(Role role) { return role == Role::kStream || role == Role::kStreamBelow; }
bool IsNamed(Role role) {
  return role == Role::kObject || role == Role::kSubresource || role == Role::kWatchObject ||
         IsOfStream(role);
}
bool IsInNamespace(const PathSet::Entry& entry) {
  return entry.resource && entry.resource->namespaced && entry.role != Role::kAllNamespaces &&
         entry.role != Role::kWatchAll;
}

Parameters PathParameters(const PathSet::Entry& entry, bool pretty = true) {
  Parameters parameters;
  if (IsNamed(entry.role))
    parameters.push_back(
        {"name", "path", "string", "Name of the " + std::string(entry.resource->kind) + "."});
  if (IsInNamespace(entry))
    parameters.push_back({"namespace", "path", "string", "Namespace of the objects that are asked about."});
  if (entry.role == Role::kStreamBelow)
    parameters.push_back({"path", "path", "string", "What is asked of whom the request is passed on to."});
  if (pretty)
    parameters.push_back(
        {"pretty", "query", "string",
         "true: the answer has line breaks and is indented. The default is true for browsers and "
         "curl, else false."});
  return parameters;
}

// "NamespacedPodEviction", of which the id of an operation is made.
std::string Subject(const PathSet::Entry& entry) {
  std::string subject = IsInNamespace(entry) ? "Namespaced" : "";
  subject.append(entry.resource->kind);
  if (entry.subresource) subject.append(Word(entry.subresource->name, true));
  if (entry.role == Role::kWatchAll || entry.role == Role::kWatchCollection) subject.append("List");
  const bool across = entry.role == Role::kAllNamespaces || entry.role == Role::kWatchAll;
  if (across && entry.resource->namespaced) subject.append("ForAllNamespaces");
  if (entry.role == Role::kStreamBelow) subject.append("WithPath");
  return subject;
}

OperationDesc OperationOn(const PathSet::Entry& entry, const PathContext& context) {
  OperationDesc operation;
  const ResourceDesc& resource = *entry.resource;
  operation.tag = Tag(resource);
  operation.codes = {"200"};
  operation.consumes = kAnything;
  operation.produces = FormsOf(context.behaviour).object;
  operation.group = resource.group;
  operation.version = resource.version;
  operation.kind = resource.kind;
  if (entry.custom) {
    operation.consumes = operation.produces = kCustomForms;
  } else if (entry.subresource) {
    operation.group = entry.subresource->group;
    operation.version = entry.subresource->version;
    operation.kind = entry.subresource->kind;
  }
  return operation;
}

// The schema of the bodies that requests for a path send and get.
Described BodyOf(const PathSet::Entry& entry) {
  const ResourceDesc& r = *entry.resource;
  const bool own = !entry.subresource || (entry.custom && entry.subresource->kind == r.kind);
  if (own && entry.custom) return {nullptr, entry.custom->name};
  if (own) return {r.type};
  const api::SubresourceDesc& s = *entry.subresource;
  return {api::FindKind(s.group, s.version, s.kind)};
}

void AddVerbParameters(const PathVerb& verb, bool custom, PathContext& context, Parameters& parameters) {
  constexpr std::string_view kOfWatches[] = {"watch", "allowWatchBookmarks"};
  const bool collection = verb.verb == "deletecollection";
  // Upstream describes these two verbs of custom resources by other options.
  if (custom && verb.verb == "get") return AddFields("meta_v1.GetOptions", context, parameters);
  if (custom && collection) return AddFields("meta_v1.ListOptions", context, parameters);
  AddFields(verb.options, context, parameters);
  if (collection) AddFields("meta_v1.ListOptions", context, parameters, kOfWatches);
}

std::vector<std::string_view> CodesOf(const PathVerb& verb, bool custom) {
  if (verb.verb == "create") return {"200", "201", "202"};
  if (verb.verb == "update" || (verb.verb == "patch" && !custom)) return {"200", "201"};
  if (verb.verb == "delete") return {"200", "202"};
  return {"200"};
}

// "status of " before the kind that a subresource belongs to.
std::string TextOf(std::string_view what, const PathSet::Entry& entry) {
  std::string text(what);
  text.append(entry.resource->kind);
  if (entry.subresource) text.append(": ").append(entry.subresource->name);
  return text;
}

// Upstream's documents say otherwise of namespaces.
bool ShowsDeleted(const ResourceDesc& resource, const PathContext& context) {
  return context.behaviour.shown_deleted.contains(&resource) && resource.kind != "Namespace";
}

OperationDesc VerbOperation(const PathVerb& verb, const PathSet::Entry& entry, PathContext& context) {
  OperationDesc operation = OperationOn(entry, context);
  const bool custom = entry.custom != nullptr, patch = verb.verb == "patch";
  const bool collection = verb.verb == "deletecollection", deletes = collection || verb.verb == "delete";
  operation.method = verb.method;
  operation.action = verb.action;
  operation.id = OperationId(verb.id, *entry.resource, (collection ? "Collection" : "") + Subject(entry));
  operation.parameters = PathParameters(entry);
  AddVerbParameters(verb, custom, context, operation.parameters);
  operation.text = TextOf(verb.text, entry);
  operation.codes = CodesOf(verb, custom);
  operation.answer = BodyOf(entry);
  if (verb.verb == "list") {
    operation.answer =
        custom ? Described{nullptr, entry.custom->list_name} : Described{entry.resource->list_type};
    if (!custom) operation.produces = FormsOf(context.behaviour).watched;
  } else if (deletes) {
    if (collection || !ShowsDeleted(*entry.resource, context))
      operation.answer = {api::FindType("meta_v1.Status")};
    if (!(custom && collection)) operation.request = {api::FindType("meta_v1.DeleteOptions")};
  } else if (patch) {
    operation.request = {nullptr, kPatchDefinition};
    operation.consumes = custom ? Strings(kCustomPatchForms) : FormsOf(context.behaviour).patch;
  } else if (verb.verb != "get") {
    operation.request = operation.answer;
  }
  operation.request_required = operation.request && !deletes;
  return operation;
}

OperationDesc WatchOperation(const PathSet::Entry& entry, PathContext& context) {
  OperationDesc operation = OperationOn(entry, context);
  operation.method = "get";
  operation.action = entry.role == Role::kWatchObject ? "watch" : "watchlist";
  operation.id = OperationId("watch", *entry.resource, Subject(entry));
  operation.parameters = PathParameters(entry);
  operation.text =
      TextOf("watches what is also watched by listing with the parameter watch: the kind ", entry);
  AddFields("meta_v1.ListOptions", context, operation.parameters);
  operation.answer = {api::FindType("meta_v1.WatchEvent")};
  operation.produces = FormsOf(context.behaviour).watched;
  return operation;
}

OperationDesc LogOperation(const PathSet::Entry& entry, PathContext& context) {
  OperationDesc operation = OperationOn(entry, context);
  operation.method = operation.action = "get";
  operation.id = OperationId("read", *entry.resource, Subject(entry));
  operation.parameters = PathParameters(entry);
  operation.text = TextOf("reads what one of these has written, as text: ", entry);
  AddFields("core_v1.PodLogOptions", context, operation.parameters);
  operation.answer = {.is_text = true};
  operation.produces = FormsOf(context.behaviour).log;
  return operation;
}

OperationDesc ConnectOperation(std::string_view method, const PathSet::Entry& entry, PathContext& context) {
  OperationDesc operation = OperationOn(entry, context);
  operation.method = method;
  operation.action = "connect";
  operation.id = OperationId("connect", *entry.resource, Word(method, true) + Subject(entry));
  operation.parameters = PathParameters(entry, /*pretty=*/false);
  operation.text = TextOf("connects with one object of the kind ", entry);
  AddFields("core_v1." + std::string(entry.subresource->kind), context, operation.parameters);
  operation.answer = {.is_text = true};
  operation.produces = kAnything;
  return operation;
}

void AddStreamOperations(const PathSet::Entry& entry, PathContext& context,
                         std::vector<OperationDesc>& operations) {
  if (entry.subresource->name == "log") return operations.push_back(LogOperation(entry, context));
  constexpr std::string_view kProxied[] = {"delete", "get", "head", "options", "patch", "post", "put"};
  constexpr std::string_view kStreamed[] = {"get", "post"};
  for (const std::string_view method :
       entry.subresource->name == "proxy" ? Strings(kProxied) : Strings(kStreamed))
    operations.push_back(ConnectOperation(method, entry, context));
}

OperationDesc PageOperation(const Page& page) {
  OperationDesc operation;
  operation.method = "get";
  operation.id = page.operation_id;
  operation.tag = page.tag;
  operation.text = page.text;
  operation.codes = {"200"};
  operation.answer = page.type || !page.definition.empty() ? Described{page.type, page.definition}
                                                           : Described{.is_text = true};
  operation.consumes = page.consumes;
  operation.produces = page.produces;
  return operation;
}

std::vector<OperationDesc> OperationsOf(const PathSet::Entry& entry, PathContext& context) {
  if (entry.role == Role::kPage) return {PageOperation(*entry.page)};
  if (IsWatch(entry.role)) return {WatchOperation(entry, context)};
  std::vector<OperationDesc> operations;
  if (IsOfStream(entry.role)) {
    AddStreamOperations(entry, context, operations);
    return operations;
  }
  const bool collection = entry.role == Role::kCollection || entry.role == Role::kAllNamespaces;
  const auto verbs = entry.subresource ? entry.subresource->verbs : entry.resource->verbs;
  for (const PathVerb& verb : kVerbs) {
    // One creates below an object, and in a collection.
    const bool fits = verb.collection == collection || (entry.subresource && verb.verb == "create");
    if (!fits || (entry.role == Role::kAllNamespaces && verb.verb != "list") || !Has(verbs, verb.verb))
      continue;
    operations.push_back(VerbOperation(verb, entry, context));
  }
  return operations;
}

// ---- JSON

// The parts in which the two dialects differ.
class Writer {
 public:
  Writer(Dialect dialect, SharedParameters& parameters, JsonWriter& out)
      : v2_(dialect == Dialect::kV2), dialect_(dialect), parameters_(parameters), out_(out) {}

  // Parameters that all methods have are those of the path.
  void Item(std::vector<OperationDesc> operations) {
    Parameters shared;
    for (OperationDesc& operation : operations) {
      Settle(operation.parameters);
      if (&operation == &operations.front()) {
        shared = operation.parameters;
        continue;
      }
      Parameters both;
      std::ranges::set_intersection(shared, operation.parameters, std::back_inserter(both));
      shared = std::move(both);
    }
    out_.BeginObject();
    for (const OperationDesc& operation : operations) Write(operation, shared);
    if (!shared.empty()) {
      out_.Key("parameters").BeginArray();
      for (const ParameterDesc& parameter : shared) Write(parameter);
      out_.EndArray();
    }
    out_.EndObject();
  }

 private:
  void Write(const ParameterDesc& parameter) {
    // Old versions of kubectl look for these two on the operation itself.
    const bool in_place = parameter.name == "fieldValidation" || parameter.name == "dryRun";
    if (!v2_ || in_place || parameter.name == "name") return Members(parameter, out_);
    Refer(parameter.name, [&](JsonWriter& out) { Members(parameter, out); });
  }
  void Members(const ParameterDesc& parameter, JsonWriter& out) const {
    out.BeginObject();
    if (!parameter.text.empty()) out.Member("description", parameter.text);
    out.Member("name", parameter.name).Member("in", parameter.in);
    if (parameter.in == "path") out.Key("required").Bool(true);
    if (!v2_) out.Key("schema").BeginObject();
    out.Member("type", parameter.type).Key("uniqueItems").Bool(true);
    if (!v2_) out.EndObject();
    out.EndObject();
  }
  // Writes a reference to the parameter of that name that `write` writes.
  template <class Write>
  void Refer(std::string_view name, const Write& write) {
    base::BufferBuilder json;
    JsonWriter out(json);
    write(out);
    out_.BeginObject().Member("$ref", "#/parameters/" + parameters_.NameOf(name, json.view())).EndObject();
  }

  void WriteBody(const OperationDesc& operation) {
    const auto members = [&](JsonWriter& out) {
      out.BeginObject().Member("name", "body").Member("in", "body");
      if (operation.request_required) out.Key("required").Bool(true);
      Schema(operation.request, out);
      out.EndObject();
    };
    if (NameOf(operation.request).starts_with("io.k8s.apimachinery."))
      Refer("body", members);
    else
      members(out_);
  }

  void Write(const OperationDesc& operation, const Parameters& shared) {
    out_.Key(operation.method).BeginObject();
    if (!operation.text.empty()) out_.Member("description", operation.text);
    if (v2_) {
      if (!operation.consumes.empty()) out_.Member("consumes", operation.consumes);
      out_.Member("produces", operation.produces);
      out_.Key("schemes").BeginArray().String("https").EndArray();
    }
    out_.Key("tags").BeginArray().String(operation.tag).EndArray();
    out_.Member("operationId", operation.id);
    OwnParameters(operation, shared);
    if (!v2_ && operation.request) {
      out_.Key("requestBody").BeginObject();
      Content(operation.consumes, operation.request);
      if (operation.request_required) out_.Key("required").Bool(true);
      out_.EndObject();
    }
    Responses(operation);
    if (!operation.action.empty()) {
      out_.Member("x-kubernetes-action", operation.action);
      out_.Key("x-kubernetes-group-version-kind").BeginObject();
      out_.Member("group", operation.group).Member("version", operation.version);
      out_.Member("kind", operation.kind).EndObject();
    }
    out_.EndObject();
  }

  void OwnParameters(const OperationDesc& operation, const Parameters& shared) {
    const bool body = v2_ && operation.request;
    if (!body && operation.parameters.size() == shared.size()) return;
    out_.Key("parameters").BeginArray();
    if (body) WriteBody(operation);
    for (const ParameterDesc& parameter : operation.parameters)
      if (!std::ranges::binary_search(shared, parameter)) Write(parameter);
    out_.EndArray();
  }

  static std::string NameOf(const Described& described) {
    return described.type ? DefinitionName(described.type->name) : std::string(described.definition);
  }

  void Schema(const Described& described, JsonWriter& out) const {
    out.Key("schema").BeginObject();
    if (described.is_text)
      out.Member("type", "string");
    else
      out.Member("$ref", ReferenceTo(NameOf(described), dialect_));
    out.EndObject();
  }

  // In order of name, as generated clients use the first of them.
  void Content(Strings media_types, const Described& described) {
    std::vector<std::string_view> sorted(media_types.begin(), media_types.end());
    std::ranges::sort(sorted);
    out_.Key("content").BeginObject();
    for (const std::string_view media_type : sorted) {
      out_.Key(media_type).BeginObject();
      Schema(described, out_);
      out_.EndObject();
    }
    out_.EndObject();
  }

  void Responses(const OperationDesc& operation) {
    out_.Key("responses").BeginObject();
    for (const std::string_view code : operation.codes) {
      const std::string_view words = code == "200" ? "OK" : code == "201" ? "Created" : "Accepted";
      out_.Key(code).BeginObject().Member("description", words);
      if (v2_) {
        Schema(operation.answer, out_);
      } else {
        Content(operation.produces, operation.answer);
      }
      out_.EndObject();
    }
    out_.Key("401").BeginObject().Member("description", "Unauthorized").EndObject().EndObject();
  }

  const bool v2_;
  const Dialect dialect_;
  SharedParameters& parameters_;
  JsonWriter& out_;
};

// ---- pages

constexpr std::string_view kInfoDefinition = "io.k8s.apimachinery.pkg.version.Info";
void WriteInfoSchema(Dialect dialect, JsonWriter& out) {
  struct Member {
    std::string_view name, text;
    bool required = true;
  };
  constexpr Member kMembers[] = {
      {"major", "First number of the version."},
      {"minor", "Second number of the version."},
      {"gitVersion", "The version in full."},
      {"gitCommit", "What the server was built from."},
      {"gitTreeState", "clean: it was built from just that."},
      {"buildDate", "When the server was built."},
      {"goVersion", "Version of Go that kube-apiserver would have been built with."},
      {"compiler", "What the server was compiled with."},
      {"platform", "Operating system and processor that it was built for."},
      {"emulationMajor", "First number of the version that the server behaves as.", false},
      {"emulationMinor", "Second number of the version that the server behaves as.", false},
      {"minCompatibilityMajor", "First number of the oldest version that it gets along with.", false},
      {"minCompatibilityMinor", "Second number of the oldest version that it gets along with.", false},
  };
  out.BeginObject().Member("description", "The version of a server.").Member("type", "object");
  out.Key("properties").BeginObject();
  std::vector<std::string_view> required;
  for (const Member& member : kMembers)
    if (member.required) required.push_back(member.name);
  std::vector<Member> sorted(std::begin(kMembers), std::end(kMembers));
  std::ranges::sort(sorted, {}, &Member::name);
  for (const Member& member : sorted) {
    out.Key(member.name).BeginObject().Member("description", member.text).Member("type", "string");
    if (member.required && dialect == Dialect::kV3) out.Member("default", "");
    out.EndObject();
  }
  out.EndObject().Member("required", required).EndObject();
}

Page ListPage(std::string path, std::string id, std::string tag, std::string_view text,
              std::string_view type) {
  return {.path = std::move(path),
          .operation_id = std::move(id),
          .tag = std::move(tag),
          .text = text,
          .type = api::FindType(type),
          .consumes = kObjectForms,
          .produces = kObjectForms};
}

Page GroupPage(std::string_view group) {
  const std::string_view name = GroupName(group);
  return ListPage("/apis/" + std::string(group) + "/", "get" + Word(name, true) + "APIGroup",
                  Word(name, false), "the versions of a group", "meta_v1.APIGroup");
}

}  // namespace

std::vector<Page> PagesOf(std::span<const ResourceDesc* const> resources) {
  std::vector<Page> pages;
  pages.push_back({.path = "/.well-known/openid-configuration/",
                   .operation_id = "getServiceAccountIssuerOpenIDConfiguration",
                   .tag = "WellKnown",
                   .text = "the issuer of service account tokens, as OpenID Connect describes one",
                   .produces = kJsonForm});
  pages.push_back(ListPage("/api/", "getCoreAPIVersions", "core", "the versions of the core group",
                           "meta_v1.APIVersions"));
  pages.push_back(ListPage("/apis/", "getAPIVersions", "apis", "the groups", "meta_v1.APIGroupList"));
  std::set<std::string_view> groups;
  for (const ResourceDesc* resource : resources)
    if (!resource->group.empty()) groups.insert(resource->group);
  for (const std::string_view group : groups) pages.push_back(GroupPage(group));
  pages.push_back({.path = "/openid/v1/jwks/",
                   .operation_id = "getServiceAccountIssuerOpenIDKeyset",
                   .tag = "openid",
                   .text = "the public keys of service account tokens",
                   .produces = kKeySetForm});
  pages.push_back({.path = "/version/",
                   .operation_id = "getCodeVersion",
                   .tag = "version",
                   .text = "the version of the server",
                   .definition = kInfoDefinition,
                   .write_schema = WriteInfoSchema,
                   .consumes = kJsonForm,
                   .produces = kJsonForm});
  return pages;
}

Page VersionPage(const ResourceDesc& resource, const Behaviour& behaviour) {
  Page page = ListPage(RootOf(resource) + "/", OperationId("get", resource, "APIResources"), Tag(resource),
                       "the resources of a version", "meta_v1.APIResourceList");
  page.consumes = page.produces = FormsOf(behaviour).object;
  return page;
}

std::string SharedParameters::NameOf(std::string_view parameter, std::string_view json) {
  constexpr size_t kDigits = 8;
  std::string name(parameter);
  name.append("-");
  // Nearly every one is known, so its hash is not made again.
  for (auto at = by_name_.lower_bound(name); at != by_name_.end() && at->first.starts_with(name); ++at)
    if (at->second == json) return at->first;
  name.append(base::Fingerprint(json).substr(0, kDigits));
  by_name_.try_emplace(name, json);
  return name;
}

void SharedParameters::ForEach(const std::function<void(std::string_view, std::string_view)>& take) const {
  for (const auto& [name, json] : by_name_) take(name, json);
}

bool IsStream(const api::SubresourceDesc& sub) {
  return sub.name == "log" || sub.kind.ends_with("Options") ||
         api::FindKind(sub.group, sub.version, sub.kind) == nullptr;
}

void PathSet::Add(const ResourceDesc& resource) { AddResource(resource, nullptr); }
void PathSet::Add(const CustomDefinition& custom) { AddResource(*custom.desc, &custom); }
void PathSet::Add(const Page& page) { entries_[page.path] = {.role = Role::kPage, .page = &page}; }

void PathSet::AddResource(const ResourceDesc& resource, const CustomDefinition* custom) {
  const std::string root = RootOf(resource), plural(resource.plural);
  const std::string below = (resource.namespaced ? "/namespaces/{namespace}/" : "/") + plural;
  const std::string base = root + below;
  const auto add = [&](std::string path, Role role, const api::SubresourceDesc* sub = nullptr) {
    entries_[std::move(path)] = {
        .role = role, .page = nullptr, .resource = &resource, .subresource = sub, .custom = custom};
  };
  const bool lists = Has(resource.verbs, "list"), gets = Has(resource.verbs, "get");
  if (resource.namespaced && lists) add(root + "/" + plural, Role::kAllNamespaces);
  if (lists || Has(resource.verbs, "create")) add(base, Role::kCollection);
  if (gets) add(base + "/{name}", Role::kObject);
  for (const api::SubresourceDesc& sub : resource.subresources) {
    const std::string path = base + "/{name}/" + std::string(sub.name);
    const bool stream = !custom && IsStream(sub);
    add(path, stream ? Role::kStream : Role::kSubresource, &sub);
    if (stream && sub.name == "proxy") add(path + "/{path}", Role::kStreamBelow, &sub);
  }
  // Upstream's documents have the paths of watches of built-in resources only.
  if (custom || !Has(resource.verbs, "watch")) return;
  if (lists) add(root + "/watch/" + plural, Role::kWatchAll);
  if (lists && resource.namespaced) add(root + "/watch" + below, Role::kWatchCollection);
  if (gets) add(root + "/watch" + below + "/{name}", Role::kWatchObject);
}

void PathSet::ForEach(PathContext& context, const TakeItem& take) const {
  for (Iterator at = begin(); at != end(); ++at) Take(at, context, take);
}

void PathSet::Take(Iterator at, PathContext& context, const TakeItem& take) const {
  base::BufferBuilder item;
  JsonWriter out(item);
  Writer(dialect_, context.parameters, out).Item(OperationsOf(at->second, context));
  take(at->first, item.view());
}

}  // namespace keelson::endpoints::openapi

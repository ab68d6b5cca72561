#include "endpoints/openapi/schema.h"

#include <optional>
#include <vector>

#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::endpoints::openapi {
namespace {

using api::FieldDesc;
using api::Kind;
using api::TypeDesc;
using api::json::JsonWriter;

// Types that are published under a name of their own though they are no structs here.
struct Special {
  const TypeDesc* type;
  std::string_view name;
  std::string_view v2, v3;
};
constexpr Special kSpecials[] = {
    {&api::kQuantityType, "io.k8s.apimachinery.pkg.api.resource.Quantity", R"({"type":"string"})",
     R"({"oneOf":[{"type":"string"},{"type":"number"}]})"},
    {&api::kTimeType, "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
     R"({"type":"string","format":"date-time"})", R"({"type":"string","format":"date-time"})"},
    {&api::kMicroTimeType, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
     R"({"type":"string","format":"date-time"})", R"({"type":"string","format":"date-time"})"},
    {&api::kDurationType, "io.k8s.apimachinery.pkg.apis.meta.v1.Duration", R"({"type":"string"})",
     R"({"type":"string"})"},
    {&api::kIntOrStringType, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
     R"({"type":"string","format":"int-or-string"})",
     R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})"},
    {&api::kRawType, "io.k8s.apimachinery.pkg.runtime.RawExtension", R"({"type":"object"})",
     R"({"type":"object"})"},
    {&api::kJsonType, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "{}", "{}"},
};

const Special* FindSpecial(const TypeDesc& type) {
  for (const Special& s : kSpecials)
    if (s.type == &type) return &s;
  return nullptr;
}

void WriteReference(std::string_view name, Dialect dialect, JsonWriter& out) {
  out.Member("$ref", ReferenceTo(name, dialect));
}

// The members of the schema of `type`, into an object that is open.
void WriteTypeMembers(const TypeDesc& type, Dialect dialect, JsonWriter& out) {
  if (const Special* special = FindSpecial(type)) return WriteReference(special->name, dialect, out);
  switch (type.kind) {
    case Kind::kStruct: WriteReference(DefinitionName(type.name), dialect, out); return;
    case Kind::kBool: out.Member("type", "boolean"); return;
    case Kind::kInt32: out.Member("type", "integer").Member("format", "int32"); return;
    case Kind::kInt64: out.Member("type", "integer").Member("format", "int64"); return;
    case Kind::kDouble: out.Member("type", "number").Member("format", "double"); return;
    case Kind::kString: out.Member("type", "string"); return;
    case Kind::kBytes: out.Member("type", "string").Member("format", "byte"); return;
    case Kind::kAny: out.Member("type", "object"); return;
    case Kind::kList:
      out.Member("type", "array").Key("items");
      WriteTypeSchema(*type.element, dialect, out);
      return;
    case Kind::kMap:
      out.Member("type", "object").Key("additionalProperties");
      WriteTypeSchema(*type.element, dialect, out);
      return;
    case Kind::kQuantity:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kIntOrString:
    case Kind::kRaw: return;  // special
  }
}

void WriteDefault(const api::DefaultValue& value, JsonWriter& out) {
  using Tag = api::DefaultValue::Tag;
  switch (value.tag) {
    case Tag::kNone: return;
    case Tag::kBool: out.Key("default").Bool(value.number != 0); return;
    case Tag::kInt: out.Key("default").Int(value.number); return;
    case Tag::kString: out.Member("default", value.text); return;
    case Tag::kEmptyStruct: out.Key("default").BeginObject().EndObject(); return;
  }
}

void WriteListExtensions(const FieldDesc& field, JsonWriter& out) {
  switch (field.list_type) {
    case api::ListType::kUnspecified: break;
    case api::ListType::kAtomic: out.Member("x-kubernetes-list-type", "atomic"); break;
    case api::ListType::kSet: out.Member("x-kubernetes-list-type", "set"); break;
    case api::ListType::kMap: out.Member("x-kubernetes-list-type", "map"); break;
  }
  if (!field.list_map_keys.empty()) out.Member("x-kubernetes-list-map-keys", field.list_map_keys);
  if (field.has(FieldDesc::kAtomicMap)) out.Member("x-kubernetes-map-type", "atomic");
  if (!field.patch_merge_key.empty()) out.Member("x-kubernetes-patch-merge-key", field.patch_merge_key);
  const bool merge = field.has(FieldDesc::kPatchMerge), retain = field.has(FieldDesc::kPatchRetainKeys);
  if (merge || retain) {
    out.Member("x-kubernetes-patch-strategy", merge && retain ? "merge,retainKeys"
                                              : merge         ? "merge"
                                                              : "retainKeys");
  }
}

// What people look for in every object.
constexpr std::string_view kCreationText =
    "CreationTimestamp is a timestamp: when the server made the object. Clients cannot set it.";

void WriteField(const FieldDesc& field, Dialect dialect, JsonWriter& out) {
  const bool reference = field.type->kind == Kind::kStruct || FindSpecial(*field.type);
  const bool annotated = field.default_value.tag != api::DefaultValue::Tag::kNone ||
                         !field.patch_merge_key.empty() || field.has(FieldDesc::kPatchMerge) ||
                         field.has(FieldDesc::kPatchRetainKeys) || field.has(FieldDesc::kAtomicMap);
  out.BeginObject();
  // Beside a $ref nothing else is read, so an annotated one goes inside allOf. Clients of v2
  // read what stands beside it, and know no allOf.
  if (reference && annotated && dialect == Dialect::kV3) {
    out.Key("allOf").BeginArray().BeginObject();
    WriteTypeMembers(*field.type, dialect, out);
    out.EndObject().EndArray();
  } else {
    WriteTypeMembers(*field.type, dialect, out);
  }
  if (field.name == "creationTimestamp") out.Member("description", kCreationText);
  WriteDefault(field.default_value, out);
  if (!field.enum_values.empty()) out.Member("enum", field.enum_values);
  WriteListExtensions(field, out);
  out.EndObject();
}

void WriteGroupVersionKind(std::string_view group, std::string_view version, std::string_view kind,
                           JsonWriter& out) {
  out.BeginObject().Member("group", group).Member("kind", kind).Member("version", version).EndObject();
}

// Under which groups and versions the type is known as a kind.
void WriteKinds(const TypeDesc& type, JsonWriter& out) {
  const std::string_view kind = type.name.substr(type.name.rfind('.') + 1);
  const api::KindEntry* known = nullptr;
  for (const api::KindEntry& entry : api::BuiltinKinds())
    if (entry.type == &type) known = &entry;
  if (!known) return;
  out.Key("x-kubernetes-group-version-kind").BeginArray();
  if (!known->version.empty()) {
    WriteGroupVersionKind(known->group, known->version, kind, out);
  } else {
    api::GroupVersion last{"none", ""};  // resources of one version come one after the other
    for (const api::ResourceDesc& resource : api::BuiltinResources()) {
      const api::GroupVersion next{resource.group, resource.version};
      if (next == last) continue;
      WriteGroupVersionKind(next.group, next.version, kind, out);
      last = next;
    }
  }
  out.EndArray();
}

void WriteStruct(const TypeDesc& type, Dialect dialect, JsonWriter& out) {
  out.BeginObject();
  if (type.either) {  // any of several forms
    out.EndObject();
    return;
  }
  out.Member("type", "object");
  std::vector<std::string_view> required;
  if (!type.members.empty()) out.Key("properties").BeginObject();
  for (const auto& member : type.members) {
    const FieldDesc& field = *type.Resolve(member).field;
    if (field.has(FieldDesc::kRequired)) required.push_back(field.name);
    out.Key(member.name);
    WriteField(field, dialect, out);
  }
  if (!type.members.empty()) out.EndObject();
  if (!required.empty()) out.Member("required", required);
  if (type.atomic) out.Member("x-kubernetes-map-type", "atomic");
  if (type.root) WriteKinds(type, out);
  out.EndObject();
}

}  // namespace

std::string ReferenceTo(std::string_view definition, Dialect dialect) {
  std::string reference = dialect == Dialect::kV2 ? "#/definitions/" : "#/components/schemas/";
  return reference.append(definition);
}

std::string DefinitionName(std::string_view type_name) {
  const size_t dot = type_name.rfind('.');
  const std::string_view file = type_name.substr(0, dot), name = type_name.substr(dot + 1);
  const size_t underscore = file.rfind('_');
  const std::string_view group = file.substr(0, underscore);
  const std::string_view version = underscore == std::string_view::npos ? "" : file.substr(underscore + 1);
  std::string prefix = "io.k8s.api.";
  if (group == "meta") prefix = "io.k8s.apimachinery.pkg.apis.";
  if (group == "apiextensions") prefix = "io.k8s.apiextensions-apiserver.pkg.apis.";
  if (group == "apiregistration") prefix = "io.k8s.kube-aggregator.pkg.apis.";
  return prefix.append(group).append(".").append(version).append(".").append(name);
}

void WriteTypeSchema(const TypeDesc& type, Dialect dialect, JsonWriter& out) {
  out.BeginObject();
  WriteTypeMembers(type, dialect, out);
  out.EndObject();
}

void SchemaSet::Add(const TypeDesc& type) {
  if (const Special* special = FindSpecial(type)) {
    specials_.insert(special->name);
  } else if (type.element) {
    Add(*type.element);
  } else if (type.kind == Kind::kStruct && structs_.insert(&type).second && !type.either) {
    for (const auto& field : type.fields) Add(*field.type);
  }
}

void SchemaSet::ForEach(const std::function<void(std::string_view, std::string_view)>& take) const {
  for (const TypeDesc* type : structs_) {
    base::BufferBuilder schema;
    JsonWriter out(schema);
    WriteStruct(*type, dialect_, out);
    take(DefinitionName(type->name), schema.view());
  }
  for (const Special& special : kSpecials)
    if (specials_.contains(special.name))
      take(special.name, dialect_ == Dialect::kV2 ? special.v2 : special.v3);
}

void SchemaSet::Write(JsonWriter& out) const {
  ForEach([&](std::string_view name, std::string_view schema) { out.Key(name).Raw(schema); });
}

}  // namespace keelson::endpoints::openapi

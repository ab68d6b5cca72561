#include "endpoints/openapi/schema.h"

#include <optional>
#include <vector>

#include "api/types/resource_desc.h"

namespace keelson::endpoints::openapi {
namespace {

using api::FieldDesc;
using api::Kind;
using api::TypeDesc;
using api::json::JsonWriter;

constexpr std::string_view kReference = "#/components/schemas/";

// Types that are published under a name of their own though they are no structs here.
struct Special {
  Kind kind;
  std::string_view name;
  std::string_view schema;
};
constexpr Special kSpecials[] = {
    {Kind::kQuantity, "io.k8s.apimachinery.pkg.api.resource.Quantity",
     R"({"oneOf":[{"type":"string"},{"type":"number"}]})"},
    {Kind::kTime, "io.k8s.apimachinery.pkg.apis.meta.v1.Time", R"({"type":"string","format":"date-time"})"},
    {Kind::kMicroTime, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
     R"({"type":"string","format":"date-time"})"},
    {Kind::kDuration, "io.k8s.apimachinery.pkg.apis.meta.v1.Duration", R"({"type":"string"})"},
    {Kind::kIntOrString, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
     R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})"},
    {Kind::kRaw, "io.k8s.apimachinery.pkg.runtime.RawExtension", R"({"type":"object"})"},
};

const Special* FindSpecial(Kind kind) {
  for (const auto& s : kSpecials)
    if (s.kind == kind) return &s;
  return nullptr;
}

void WriteReference(std::string_view name, JsonWriter& out) {
  out.Member("$ref", std::string(kReference) + std::string(name));
}

// The members of the schema of `type`, into an object that is open.
void WriteTypeMembers(const TypeDesc& type, JsonWriter& out) {
  if (const Special* special = FindSpecial(type.kind)) return WriteReference(special->name, out);
  switch (type.kind) {
    case Kind::kStruct: WriteReference(DefinitionName(type.name), out); return;
    case Kind::kBool: out.Member("type", "boolean"); return;
    case Kind::kInt32: out.Member("type", "integer").Member("format", "int32"); return;
    case Kind::kInt64: out.Member("type", "integer").Member("format", "int64"); return;
    case Kind::kDouble: out.Member("type", "number").Member("format", "double"); return;
    case Kind::kString: out.Member("type", "string"); return;
    case Kind::kBytes: out.Member("type", "string").Member("format", "byte"); return;
    case Kind::kAny: out.Member("type", "object"); return;
    case Kind::kList:
      out.Member("type", "array").Key("items");
      WriteTypeSchema(*type.element, out);
      return;
    case Kind::kMap:
      out.Member("type", "object").Key("additionalProperties");
      WriteTypeSchema(*type.element, out);
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
  using Form = api::DefaultValue::Form;
  switch (value.form) {
    case Form::kNone: return;
    case Form::kBool: out.Key("default").Bool(value.number != 0); return;
    case Form::kInt: out.Key("default").Int(value.number); return;
    case Form::kString: out.Member("default", value.text); return;
    case Form::kEmptyStruct: out.Key("default").BeginObject().EndObject(); return;
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

void WriteField(const FieldDesc& field, JsonWriter& out) {
  const bool reference = field.type->kind == Kind::kStruct || FindSpecial(field.type->kind);
  const bool annotated = field.default_value.form != api::DefaultValue::Form::kNone ||
                         !field.patch_merge_key.empty() || field.has(FieldDesc::kPatchMerge) ||
                         field.has(FieldDesc::kPatchRetainKeys) || field.has(FieldDesc::kAtomicMap);
  out.BeginObject();
  // Beside a $ref nothing else is read, so an annotated one goes inside allOf.
  if (reference && annotated) {
    out.Key("allOf").BeginArray().BeginObject();
    WriteTypeMembers(*field.type, out);
    out.EndObject().EndArray();
  } else {
    WriteTypeMembers(*field.type, out);
  }
  WriteDefault(field.default_value, out);
  if (!field.enum_values.empty()) out.Member("enum", field.enum_values);
  WriteListExtensions(field, out);
  out.EndObject();
}

void WriteStruct(const TypeDesc& type, JsonWriter& out) {
  out.BeginObject().Member("type", "object");
  std::vector<std::string_view> required;
  if (!type.members.empty()) out.Key("properties").BeginObject();
  for (const auto& member : type.members) {
    const FieldDesc& field = *type.Resolve(member).field;
    if (field.has(FieldDesc::kRequired)) required.push_back(field.name);
    out.Key(member.name);
    WriteField(field, out);
  }
  if (!type.members.empty()) out.EndObject();
  if (!required.empty()) out.Member("required", required);
  if (type.atomic) out.Member("x-kubernetes-map-type", "atomic");
  for (const auto& resource : api::BuiltinResources()) {
    const bool item = resource.type == &type;
    if (!item && resource.list_type != &type) continue;
    out.Key("x-kubernetes-group-version-kind").BeginArray().BeginObject();
    out.Member("group", resource.group).Member("kind", item ? resource.kind : resource.list_kind);
    out.Member("version", resource.version).EndObject().EndArray();
    break;
  }
  out.EndObject();
}

}  // namespace

std::string DefinitionName(std::string_view type_name) {
  const size_t dot = type_name.rfind('.');
  const std::string_view file = type_name.substr(0, dot), name = type_name.substr(dot + 1);
  const size_t underscore = file.rfind('_');
  const std::string_view group = file.substr(0, underscore);
  const std::string_view version = underscore == std::string_view::npos ? "" : file.substr(underscore + 1);
  const std::string_view short_group = group.substr(0, group.find('.'));

  std::string prefix = "io.k8s.api.";
  if (group == "meta") prefix = "io.k8s.apimachinery.pkg.apis.";
  if (group == "apiextensions.k8s.io") prefix = "io.k8s.apiextensions-apiserver.pkg.apis.";
  if (group == "apiregistration.k8s.io") prefix = "io.k8s.kube-aggregator.pkg.apis.";
  return prefix.append(short_group).append(".").append(version).append(".").append(name);
}

void WriteTypeSchema(const TypeDesc& type, JsonWriter& out) {
  out.BeginObject();
  WriteTypeMembers(type, out);
  out.EndObject();
}

void SchemaSet::Add(const TypeDesc& type) {
  if (FindSpecial(type.kind)) {
    specials_.insert(type.kind);
  } else if (type.element) {
    Add(*type.element);
  } else if (type.kind == Kind::kStruct && structs_.insert(&type).second) {
    for (const auto& field : type.fields) Add(*field.type);
  }
}

void SchemaSet::Write(JsonWriter& out) const {
  for (const TypeDesc* type : structs_) {
    out.Key(DefinitionName(type->name));
    WriteStruct(*type, out);
  }
  for (Kind kind : specials_) {
    const Special* special = FindSpecial(kind);
    out.Key(special->name).Raw(special->schema);
  }
}

}  // namespace keelson::endpoints::openapi

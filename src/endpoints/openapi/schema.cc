#include "endpoints/openapi/schema.h"

#include <utility>
#include <vector>

#include "api/types/builtin_types.h"
#include "endpoints/openapi/descriptions.h"

namespace keelson::endpoints::openapi {
namespace {

using api::FieldDesc;
using api::Kind;
using api::TypeDesc;
using api::json::JsonWriter;

// Types that are published under a name of their own though they are no structs here.
struct Special {
  const TypeDesc* type;
  std::string_view name, text;
  std::string_view v2, v3;  // members of the schema
};
constexpr std::string_view kStringSchema = R"("type":"string")", kObjectSchema = R"("type":"object")";
constexpr std::string_view kTimeSchema = R"("type":"string","format":"date-time")";
constexpr Special kSpecials[] = {
    {&api::kQuantityType, "io.k8s.apimachinery.pkg.api.resource.Quantity",
     "An amount: a number with an optional suffix, decimal (n, u, m, k, M, G, T, P, E), binary (Ki, Mi, Gi, "
     "Ti, Pi, "
     "Ei) or a power of ten (e3). 500m is a half, 1Ki is 1024.",
     kStringSchema, R"("oneOf":[{"type":"string"},{"type":"number"}])"},
    {&api::kTimeType, "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
     "A moment in whole seconds, as RFC 3339 writes it.", kTimeSchema, kTimeSchema},
    {&api::kMicroTimeType, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
     "A moment to the microsecond, as RFC 3339 writes it.", kTimeSchema, kTimeSchema},
    {&api::kDurationType, "io.k8s.apimachinery.pkg.apis.meta.v1.Duration",
     "A span of time: numbers with their units, as in 1h30m or 500ms.", kStringSchema, kStringSchema},
    {&api::kIntOrStringType, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
     "A number or a string, such as the number of a port or its name, a count or a percentage.",
     R"("type":"string","format":"int-or-string")",
     R"("format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}])"},
    {&api::kRawType, "io.k8s.apimachinery.pkg.runtime.RawExtension",
     "An object of any kind. It is kept as it was sent.", kObjectSchema, kObjectSchema},
    {&api::kFieldsV1Type, "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
     "A set of fields as a tree. f:NAME is a field; k:KEYS, v:VALUE and i:INDEX are an item of a list by its "
     "keys, its "
     "value or its place; a dot stands for the field or item itself.",
     kObjectSchema, kObjectSchema},
    {&api::kJsonType, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "Any value of JSON.",
     "", ""},
};

const Special* FindSpecial(const TypeDesc& type) {
  for (const Special& s : kSpecials)
    if (s.type == &type) return &s;
  return nullptr;
}

// What a value is where nobody gives one, in documents of v3: the zero of what cannot be absent, as JSON.
// Empty: it can be.
std::string_view ZeroOf(const TypeDesc& type) {
  switch (type.kind) {
    case Kind::kStruct: return type.either ? "" : "{}";
    case Kind::kBool: return "false";
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble: return "0";
    case Kind::kString: return R"("")";
    default: return "";
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
  if (field.has(FieldDesc::kGranularMap)) out.Member("x-kubernetes-map-type", "granular");
  if (!field.patch_merge_key.empty()) out.Member("x-kubernetes-patch-merge-key", field.patch_merge_key);
  const bool merge = field.has(FieldDesc::kPatchMerge), retain = field.has(FieldDesc::kPatchRetainKeys);
  if (merge || retain) {
    out.Member("x-kubernetes-patch-strategy", merge && retain ? "merge,retainKeys"
                                              : merge         ? "merge"
                                                              : "retainKeys");
  }
}

// The one field of which upstream says that patches replace it, as they do any other without a strategy.
constexpr std::pair<std::string_view, std::string_view> kReplacing = {"policy_v1.PodDisruptionBudgetSpec",
                                                                      "selector"};

// Writes the schemas of built-in types in one dialect.
class SchemaWriter {
 public:
  SchemaWriter(Dialect dialect, std::span<const api::GroupVersion> everywhere, Descriptions& descriptions)
      : dialect_(dialect), everywhere_(everywhere), descriptions_(descriptions) {}

  void Struct(const TypeDesc& type, JsonWriter& out) {
    out.BeginObject();
    if (const std::string_view text = descriptions_.Of(type); !text.empty()) out.Member("description", text);
    if (!type.either) Members(type, out);  // else it is any of several forms
    out.EndObject();
  }

  // `beside`: something else is said of a value than what its type is.
  void Type(const TypeDesc& type, bool beside, Strings enum_values, JsonWriter& out) {
    const Special* const special = FindSpecial(type);
    if (special || type.kind == Kind::kStruct)
      return WriteReference(special ? std::string(special->name) : DefinitionName(type.name), beside,
                            dialect_, out);
    switch (type.kind) {
      case Kind::kBool: out.Member("type", "boolean"); break;
      case Kind::kInt32: out.Member("type", "integer").Member("format", "int32"); break;
      case Kind::kInt64: out.Member("type", "integer").Member("format", "int64"); break;
      case Kind::kDouble: out.Member("type", "number").Member("format", "double"); break;
      case Kind::kString: out.Member("type", "string"); break;
      case Kind::kBytes: out.Member("type", "string").Member("format", "byte"); break;
      case Kind::kAny: out.Member("type", "object"); break;
      case Kind::kList: out.Member("type", "array").Key("items"); break;
      case Kind::kMap: out.Member("type", "object").Key("additionalProperties"); break;
      default: break;  // special
    }
    if (type.element)
      Element(*type.element, enum_values, out);
    else if (!enum_values.empty())
      out.Member("enum", enum_values);
  }

 private:
  bool v3() const { return dialect_ == Dialect::kV3; }

  void Element(const TypeDesc& type, Strings enum_values, JsonWriter& out) {
    const std::string_view zero = v3() ? ZeroOf(type) : "";
    out.BeginObject();
    Type(type, !zero.empty(), enum_values, out);
    if (!zero.empty()) out.Key("default").Raw(zero);
    out.EndObject();
  }

  void Members(const TypeDesc& type, JsonWriter& out) {
    out.Member("type", "object");
    std::vector<std::string_view> required;
    if (!type.members.empty()) out.Key("properties").BeginObject();
    for (const auto& member : type.members) {
      const api::MemberRef at = type.Resolve(member);
      if (at.field->has(FieldDesc::kRequired)) required.push_back(at.field->name);
      out.Key(member.name);
      Field(at.inner ? *at.inner->type : at.outer ? *at.outer->type : type, *at.field, out);
    }
    if (!type.members.empty()) out.EndObject();
    if (!required.empty()) out.Member("required", required);
    if (type.atomic) out.Member("x-kubernetes-map-type", "atomic");
    for (const api::UnionDesc& one_of : api::BuiltinUnions())
      if (one_of.type == &type) Union(one_of, out);
    Kinds(type, out);
  }

  // `type`: which the field is of.
  void Field(const TypeDesc& type, const FieldDesc& field, JsonWriter& out) {
    const std::string_view text = descriptions_.Of(type, field);
    const bool given = field.default_value.tag != api::DefaultValue::Tag::kNone;
    const bool present = !field.has(FieldDesc::kPointer) &&
                         (field.type->kind == Kind::kStruct || !field.has(FieldDesc::kOmitEmpty));
    const std::string_view zero = v3() && !given && present ? ZeroOf(*field.type) : "";
    const bool beside = !text.empty() || !zero.empty() || given || !field.patch_merge_key.empty() ||
                        field.has(FieldDesc::kPatchMerge) || field.has(FieldDesc::kPatchRetainKeys) ||
                        field.has(FieldDesc::kAtomicMap) || field.has(FieldDesc::kGranularMap);
    out.BeginObject();
    if (!text.empty()) out.Member("description", text);
    Type(*field.type, beside, field.enum_values, out);
    if (!zero.empty()) out.Key("default").Raw(zero);
    if (v3()) WriteDefault(field.default_value, out);  // clients of v2 would take it for a value that is set
    WriteListExtensions(field, out);
    if (type.name == kReplacing.first && field.name == kReplacing.second)
      out.Member("x-kubernetes-patch-strategy", "replace");
    out.EndObject();
  }

  static void Union(const api::UnionDesc& one_of, JsonWriter& out) {
    out.Key("x-kubernetes-unions").BeginArray().BeginObject();
    if (!one_of.discriminator.empty()) out.Member("discriminator", one_of.discriminator);
    out.Key("fields-to-discriminateBy").BeginObject();
    for (const std::string_view field : one_of.fields) {
      std::string value(field);
      value[0] = static_cast<char>(value[0] - 'a' + 'A');
      out.Member(field, value);
    }
    out.EndObject().EndObject().EndArray();
  }

  static void GroupVersionKind(const api::GroupVersion& version, std::string_view kind, JsonWriter& out) {
    out.BeginObject().Member("group", version.group).Member("kind", kind);
    out.Member("version", version.version).EndObject();
  }

  // Under which groups and versions the type is known as a kind.
  void Kinds(const TypeDesc& type, JsonWriter& out) const {
    const std::string_view kind = type.name.substr(type.name.rfind('.') + 1);
    const api::KindEntry* known = nullptr;
    for (const api::KindEntry& entry : api::BuiltinKinds())
      if (entry.type == &type) known = &entry;
    const bool everywhere = type.name == "meta_v1.WatchEvent" || (known && known->version.empty());
    if (!known && !everywhere) return;
    out.Key("x-kubernetes-group-version-kind").BeginArray();
    if (!everywhere) {
      GroupVersionKind({known->group, known->version}, kind, out);
    } else {
      for (const api::GroupVersion& version : everywhere_) GroupVersionKind(version, kind, out);
    }
    out.EndArray();
  }

  const Dialect dialect_;
  const std::span<const api::GroupVersion> everywhere_;
  Descriptions& descriptions_;
};

}  // namespace

std::string ReferenceTo(std::string_view definition, Dialect dialect) {
  std::string reference = dialect == Dialect::kV2 ? "#/definitions/" : "#/components/schemas/";
  return reference.append(definition);
}

void WriteReference(std::string_view definition, bool beside, Dialect dialect, JsonWriter& out) {
  const bool wrapped = beside && dialect == Dialect::kV3;
  if (wrapped) out.Key("allOf").BeginArray().BeginObject();
  out.Member("$ref", ReferenceTo(definition, dialect));
  if (wrapped) out.EndObject().EndArray();
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

void SchemaSet::Add(const TypeDesc& type) {
  if (const Special* special = FindSpecial(type)) {
    specials_.insert(special->name);
  } else if (type.element) {
    Add(*type.element);
  } else if (type.kind == Kind::kStruct && structs_.insert(&type).second && !type.either) {
    AddFields(type);
  }
}

// What is inlined has no definition of its own.
void SchemaSet::AddFields(const TypeDesc& type) {
  for (const FieldDesc& field : type.fields) {
    if (field.has(FieldDesc::kInline))
      AddFields(*field.type);
    else
      Add(*field.type);
  }
}

void SchemaSet::ForEach(const std::function<void(std::string_view, std::string_view)>& take) const {
  Descriptions descriptions;
  SchemaWriter writer(dialect_, everywhere_, descriptions);
  for (const TypeDesc* type : structs_) {
    base::BufferBuilder schema;
    JsonWriter out(schema);
    writer.Struct(*type, out);
    take(DefinitionName(type->name), schema.view());
  }
  for (const Special& special : kSpecials) {
    if (!specials_.contains(special.name)) continue;
    const std::string_view members = dialect_ == Dialect::kV2 ? special.v2 : special.v3;
    std::string schema = R"({"description":")";
    schema.append(special.text).append(members.empty() ? "\"" : "\",").append(members).append("}");
    take(special.name, schema);
  }
}

void SchemaSet::Write(JsonWriter& out) const {
  ForEach([&](std::string_view name, std::string_view schema) { out.Key(name).Raw(schema); });
}

}  // namespace keelson::endpoints::openapi

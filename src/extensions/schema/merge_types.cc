#include "extensions/schema/merge_types.h"

#include <algorithm>

#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"

namespace keelson::extensions {
namespace {

using api::CustomTypeDesc;
using api::FieldDesc;
using api::Kind;
using api::TypeDesc;

constexpr CustomTypeDesc Part(Kind kind, const TypeDesc* element = nullptr) {
  CustomTypeDesc type;
  type.name = api::kCustomTypeName;
  type.kind = kind;
  type.element = element;
  return type;
}
constexpr CustomTypeDesc kBool = Part(Kind::kBool), kNumber = Part(Kind::kDouble),
                         kText = Part(Kind::kString);

class Builder {
 public:
  explicit Builder(api::Arena& arena) : arena_(arena) {}

  const TypeDesc* TypeOf(const Schema& s) {
    switch (s.type) {
      case JsonType::kObject: return Map(s, false);
      case JsonType::kArray: return List(s);
      case JsonType::kBoolean: return &kBool;
      case JsonType::kInteger:
      case JsonType::kNumber: return &kNumber;
      case JsonType::kString: return &kText;
      case JsonType::kNone: return &api::kAnyType;
    }
    return &api::kAnyType;
  }

  const TypeDesc* Map(const Schema& s, bool root) {
    FieldDesc* fields = arena_.NewArray<FieldDesc>(s.properties.size());
    auto* members = arena_.NewArray<TypeDesc::Member>(s.properties.size());
    uint16_t n = 0;
    for (const Property& p : s.properties) {
      if (root && IsOfEveryObject(p.name)) continue;
      fields[n] = Field(*p.schema);
      fields[n].name = p.name;
      fields[n].ordinal = n;
      members[n] = {p.name, 0, 0, n};
      ++n;
    }
    CustomTypeDesc type = Part(Kind::kMap);
    if (s.additional) {
      FieldDesc* use = arena_.NewArray<FieldDesc>(1);
      *use = Field(*s.additional);
      type.element_use = use;
      type.element = use->type;
    } else if (s.preserve_unknown || s.has_additional || s.embedded) {
      type.element = &api::kAnyType;
    }
    type.fields = {fields, n};
    type.members = {members, n};
    type.atomic = s.atomic_map;
    return New(type);
  }

 private:
  const TypeDesc* List(const Schema& s) {
    FieldDesc* use = arena_.NewArray<FieldDesc>(1);
    *use = s.items ? Field(*s.items) : FieldDesc{.flags = FieldDesc::kPointer, .type = &api::kAnyType};
    CustomTypeDesc type = Part(Kind::kList, use->type);
    type.element_use = use;
    return New(type);
  }

  FieldDesc Field(const Schema& s) {
    FieldDesc field{.flags = FieldDesc::kPointer, .type = s.int_or_string ? &api::kAnyType : TypeOf(s)};
    if (s.type == JsonType::kArray) {
      field.list_type = s.list_type == api::ListType::kUnspecified ? api::ListType::kAtomic : s.list_type;
      field.list_map_keys = s.list_map_keys;
    }
    if (s.atomic_map) field.flags |= FieldDesc::kAtomicMap;
    const api::Value& value = s.default_value;
    using Tag = api::DefaultValue::Tag;
    if (value.is(api::Value::Tag::kBool)) field.default_value = {Tag::kBool, value.boolean()};
    if (value.is(api::Value::Tag::kInt)) field.default_value = {Tag::kInt, value.integer()};
    if (value.is(api::Value::Tag::kString)) field.default_value = {Tag::kString, 0, value.string()};
    return field;
  }

  const TypeDesc* New(const CustomTypeDesc& type) {
    return new (arena_.Allocate(sizeof(type), alignof(CustomTypeDesc))) CustomTypeDesc(type);
  }

  api::Arena& arena_;
};

constexpr CustomTypeDesc kAnything = Part(Kind::kMap, &api::kAnyType);

}  // namespace

const TypeDesc* MergeTypeOf(const Schema& root, bool has_schema, api::Arena& arena) {
  if (!has_schema || (root.preserve_unknown && root.properties.empty())) return &kAnything;
  return Builder(arena).Map(root, true);
}

}  // namespace keelson::extensions

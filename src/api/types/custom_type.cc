#include "api/types/custom_type.h"

#include "api/generated/meta_v1.h"
#include "api/types/builtin_types.h"

namespace keelson::api {
namespace {

using F = FieldDesc;

constexpr uint16_t kByNumber[] = {2, 3};
constexpr uint16_t kNumbers[] = {0, 3, 4};
constexpr CustomTypeDesc ContentType() {
  CustomTypeDesc type;
  type.name = kCustomTypeName;
  type.kind = Kind::kMap;
  return type;
}
// What codecs need to know of the members that are no metadata. How they are merged is for
// CustomType::content_type to say.
constexpr CustomTypeDesc kContent = ContentType();
constexpr F kFields[] = {{.name = "kind",
                          .json_key = "\"kind\":",
                          .ordinal = 0,
                          .flags = F::kOmitEmpty | F::kTypeMeta,
                          .type = &kStringType},
                         {.name = "apiVersion",
                          .json_key = "\"apiVersion\":",
                          .ordinal = 1,
                          .flags = F::kOmitEmpty | F::kTypeMeta,
                          .type = &kStringType},
                         {.name = "metadata",
                          .json_key = "\"metadata\":",
                          .number = 1,
                          .ordinal = 2,
                          .flags = F::kOmitEmpty,
                          .type = &meta_v1::kObjectMetaType},
                         {.number = 2, .ordinal = 3, .flags = F::kInline, .type = &kContent}};
constexpr TypeDesc::Member kMembers[] = {{"apiVersion", 0, 0, 1}, {"kind", 0, 0, 0}, {"metadata", 0, 0, 2}};

}  // namespace

MapNode& MutableContentOf(StructNode& root, Arena& arena) {
  Value& slot = ContentOf(root);
  if (!slot.map()) slot = Value::Of(MapNode::New(nullptr, arena));
  return *slot.map();
}

CustomTypeDesc CustomRoot(const CustomType* custom) {
  CustomTypeDesc type;
  type.name = kCustomTypeName;
  type.kind = Kind::kStruct;
  type.fields = kFields;
  type.by_number = kByNumber;
  type.number_to_ordinal = kNumbers;
  type.members = kMembers;
  type.root = true;
  type.custom = custom;
  return type;
}

}  // namespace keelson::api

// How a type is merged where it is used: the field it is the type of may say more than
// the type itself.
#pragma once

#include <span>
#include <string_view>

#include "api/managed_fields/field_set.h"
#include "api/types/custom_type.h"
#include "api/types/type_desc.h"

namespace keelson::api::managed_fields {

struct TypeUse {
  const TypeDesc* type = nullptr;
  const FieldDesc* field = nullptr;  // null: an element of a list or map

  enum class List : uint8_t { kAtomic, kSet, kKeyed };
  List list() const;
  // Of a keyed list.
  std::span<const std::string_view> keys() const;

  bool is_map() const { return type->kind == Kind::kStruct || type->kind == Kind::kMap; }
  // Owned as a whole: scalars, and what is marked so.
  bool atomic() const;
  TypeUse element() const;
  // What is under `key` of a map.
  TypeUse member(std::string_view key) const;
  // The type of the map names this key, so that it is a field and no mere entry.
  bool declares(std::string_view key) const { return type->FindMember(key).field != nullptr; }
};

// How the members of a custom object are merged that are no metadata. Requires: the type is open.
inline TypeUse ContentUse(const TypeDesc& type) {
  return {&CustomOf(type)->content_type(), &type.fields.back()};
}

// Which members of a struct are there.
enum class Presence : uint8_t {
  kJson,      // those JSON shows
  kExplicit,  // those that were given, zero and null too: a configuration to apply
};

// A value with its presence; what is present and reads as absent is zero or null.
struct Side {
  bool present = false;
  Value value;
};
// `node` may be null: a struct with nothing in it. Requires: `member` is of the struct's type.
Side MemberOf(const StructNode* node, const TypeDesc& type, const TypeDesc::Member& member,
              Presence presence);
const FieldDesc& FieldOf(const TypeDesc& type, const TypeDesc::Member& member);
// Most members are not there in most structs: this tells them without a look at the type. Such
// a member is absent from the explicit ones, and shows in JSON as it does in any other struct.
inline bool IsPlainlyAbsent(const StructNode* node, const TypeDesc::Member& member) {
  return member.outer == 0 && (!node || node->slot(member.field).absent());
}

// The element of a list as a step of a path. False, with why in `error`: it has none.
bool ElementPath(const Value& item, const TypeUse& list, Presence presence, Arena& arena, PathElement& out,
                 std::string* error);

// Elements of a list in the order of their paths; equal ones stay in the order of the list.
// Those without a path are left out.
struct ListItem {
  PathElement path;
  Value value;
  uint32_t index = 0;
};
std::span<ListItem> SortedItems(const ListNode* list, const TypeUse& use, Presence presence, Arena& arena);

}  // namespace keelson::api::managed_fields

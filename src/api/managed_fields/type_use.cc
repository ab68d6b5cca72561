#include "api/managed_fields/type_use.h"

#include <algorithm>
#include <array>

#include "api/codec/json_presence.h"
#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"

namespace keelson::api::managed_fields {
namespace {

constexpr Value kAbsent{};

// What a key reads as where an element leaves it out; absent: it has no default.
Value DefaultOf(const FieldDesc& field) {
  switch (field.default_value.tag) {
    case DefaultValue::Tag::kBool: return Value::Bool(field.default_value.number != 0);
    case DefaultValue::Tag::kInt: return Value::Int(field.default_value.number);
    case DefaultValue::Tag::kString: return Value::String(field.default_value.text);
    default: break;
  }
  if (field.has(FieldDesc::kOmitEmpty) || field.has(FieldDesc::kPointer)) return {};
  switch (field.type->kind) {
    case Kind::kBool: return Value::Bool(false);
    case Kind::kInt32:
    case Kind::kInt64: return Value::Int(0);
    case Kind::kString: return Value::String("");
    default: return {};
  }
}

// The members that are the keys of one list's elements, looked up once for all of them.
struct KeyMembers {
  static constexpr size_t kMost = 4;
  const TypeDesc* type = nullptr;  // null: too many, or the elements are no structs
  std::array<MemberRef, kMost> members;

  explicit KeyMembers(const TypeUse& list) {
    if (list.list() != TypeUse::List::kKeyed) return;
    const TypeDesc* const element = list.element().type;
    const auto names = list.keys();
    if (element->kind != Kind::kStruct || names.size() > kMost) return;
    type = element;
    for (size_t i = 0; i < names.size(); ++i) members[i] = element->FindMember(names[i]);
  }
};

// The scalar that stands for the member in a path.
Value KeyValue(const StructNode* node, const MemberRef& member, Presence presence) {
  if (!member.field) return {};
  if (member.outer) node = node->slot(member.outer->ordinal).node();
  if (member.inner && node) node = node->slot(member.inner->ordinal).node();
  const Value& v = node ? node->slot(member.field->ordinal) : kAbsent;
  const bool present = presence == Presence::kExplicit ? !v.absent() : json::Shows(v, *member.field);
  if (!present) return DefaultOf(*member.field);
  return v.absent() ? DefaultOf(*member.field) : v;
}

// The same of an element that is a tree.
Value EntryKey(const MapNode& map, const TypeUse& list, std::string_view name) {
  if (const Value* v = map.Find(name)) return *v;
  const MemberRef member = list.element().type->FindMember(name);
  return member.field ? DefaultOf(*member.field) : Value();
}

bool KeyedPath(const Value& item, const TypeUse& list, Presence presence, Arena& arena, PathElement& out,
               std::string* error, const KeyMembers* known) {
  auto fail = [&](std::string_view why) {
    if (error) *error = why;
    return false;
  };
  const StructNode* node = item.node();
  if (!node && !item.map()) {
    return fail(item.is(Value::Tag::kNull) || item.absent()
                    ? "associative list with keys may not have a null element"
                    : "associative list with keys may not have non-map elements");
  }
  const auto names = list.keys();
  KeyField* keys = arena.NewArray<KeyField>(names.size());
  uint32_t count = 0;
  const bool is_known = known && node && known->type == node->type;
  for (size_t i = 0; i < names.size(); ++i) {
    const Value v =
        node ? KeyValue(node, is_known ? known->members[i] : node->type->FindMember(names[i]), presence)
             : EntryKey(*item.map(), list, names[i]);
    if (!v.absent()) keys[count++] = {names[i], v};
  }
  if (count == 0) {
    std::string why = "associative list with keys has an element that omits all key fields [";
    for (size_t i = 0; i < names.size(); ++i) why.append(i == 0 ? "" : " ").append(Quoted(names[i]));
    return fail(why + "] (and doesn't have default values for any key fields)");
  }
  if (count > 1)
    std::sort(keys, keys + count, [](const KeyField& a, const KeyField& b) { return a.name < b.name; });
  out = {PathElement::Kind::kKey, count, {}, keys};
  return true;
}

}  // namespace

TypeUse::List TypeUse::list() const {
  if (!field) return List::kAtomic;
  switch (field->list_type) {
    case ListType::kAtomic: return List::kAtomic;
    case ListType::kSet: return List::kSet;
    case ListType::kMap: return List::kKeyed;
    case ListType::kUnspecified: break;
  }
  if (!field->has(FieldDesc::kPatchMerge)) return List::kAtomic;
  return field->patch_merge_key.empty() ? List::kSet : List::kKeyed;
}

std::span<const std::string_view> TypeUse::keys() const {
  if (!field->list_map_keys.empty()) return field->list_map_keys;
  return {&field->patch_merge_key, 1};
}

bool TypeUse::atomic() const {
  switch (type->kind) {
    case Kind::kStruct:
      if (field && field->has(FieldDesc::kAtomicMap)) return true;
      return type->atomic && !(field && field->has(FieldDesc::kGranularMap));
    case Kind::kMap: return type->atomic || (field && field->has(FieldDesc::kAtomicMap));
    case Kind::kList: return list() == List::kAtomic;
    case Kind::kAny: return false;
    default: return true;
  }
}

TypeUse TypeUse::element() const {
  const CustomTypeDesc* custom = AsCustom(*type);
  return {type->element ? type->element : &kAnyType, custom ? custom->element_use : nullptr};
}

TypeUse TypeUse::member(std::string_view key) const {
  if (type->kind == Kind::kAny) return *this;
  const MemberRef found = type->FindMember(key);
  return found.field ? TypeUse{found.field->type, found.field} : element();
}

const FieldDesc& FieldOf(const TypeDesc& type, const TypeDesc::Member& member) {
  if (member.outer == 0) return type.fields[member.field];
  return *type.Resolve(member).field;
}

Side MemberOf(const StructNode* node, const TypeDesc& type, const TypeDesc::Member& member,
              Presence presence) {
  const MemberRef ref =
      member.outer == 0 ? MemberRef{.field = &type.fields[member.field]} : type.Resolve(member);
  const FieldDesc& field = *ref.field;
  for (const FieldDesc* const step : {ref.outer, ref.inner}) {
    if (!step) break;
    const StructNode* inner = node ? node->slot(step->ordinal).node() : nullptr;
    if (!inner && step->has(FieldDesc::kPointer)) return {};
    node = inner;
  }
  const Value& v = node ? node->slot(member.field) : kAbsent;
  if (presence == Presence::kExplicit) return {!v.absent(), v};
  if (v.absent()) return {json::ShowsWhenEmpty(field), v};
  return {json::Shows(v, field), v};
}

namespace {

bool PathOf(const Value& item, const TypeUse& list, Presence presence, Arena& arena, PathElement& out,
            std::string* error, const KeyMembers* known) {
  if (list.list() == TypeUse::List::kKeyed) return KeyedPath(item, list, presence, arena, out, error, known);
  auto fail = [&](std::string_view why) {
    if (error) *error = why;
    return false;
  };
  if (item.node() || item.map())
    return fail("associative list without keys has an element that's a map type");
  if (item.list()) return fail("not supported: associative list with lists as elements");
  if (item.absent() || item.is(Value::Tag::kNull))
    return fail("associative list without keys has an element that's an explicit null");
  out = {PathElement::Kind::kValue, 0, {}, nullptr, item};
  return true;
}

}  // namespace

bool ElementPath(const Value& item, const TypeUse& list, Presence presence, Arena& arena, PathElement& out,
                 std::string* error) {
  return PathOf(item, list, presence, arena, out, error, nullptr);
}

std::span<ListItem> SortedItems(const ListNode* list, const TypeUse& use, Presence presence, Arena& arena) {
  if (!list || list->size == 0) return {};
  const KeyMembers keys(use);
  ListItem* items = arena.NewArray<ListItem>(list->size);
  size_t n = 0;
  for (uint32_t i = 0; i < list->size; ++i) {
    items[n].value = list->data[i];
    items[n].index = i;
    if (PathOf(list->data[i], use, presence, arena, items[n].path, nullptr, &keys)) ++n;
  }
  auto less = [](const ListItem& a, const ListItem& b) {
    if (int c = Compare(a.path, b.path)) return c < 0;
    return a.index < b.index;
  };
  if (!std::is_sorted(items, items + n, less)) std::sort(items, items + n, less);
  return {items, n};
}

}  // namespace keelson::api::managed_fields

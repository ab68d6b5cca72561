#include "api/codec/to_tree.h"

#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/passes.h"

namespace keelson::api::json {
namespace {

// Kinds that JSON writes in a form of its own, and values that are absent and show all the same.
Value ByText(const Value& v, const FieldDesc* field, const TypeDesc& type, Arena& arena) {
  if (v.absent() && field && field->has(FieldDesc::kPointer)) return Value::Null();
  base::BufferBuilder text;
  Encode(v, type, text);
  const auto tree = DecodeAny(arena.CopyString(text.view()), arena);
  return tree ? *tree : Value::Null();
}

Value TreeOf(const Value& v, const FieldDesc* field, const TypeDesc& type, Arena& arena) {
  if (v.absent()) return ByText(v, field, type, arena);
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kString:
    case Kind::kQuantity:
    case Kind::kIntOrString: return v;
    case Kind::kStruct: return type.either ? ByText(v, field, type, arena) : ToTree(*v.node(), arena);
    case Kind::kList: {
      ListNode* const list = ListNode::New(nullptr, arena);
      for (const Value& item : v.list()->items())
        list->Append(TreeOf(item, nullptr, *type.element, arena), arena);
      return Value::Of(list);
    }
    case Kind::kMap: {
      MapNode* const map = MapNode::New(nullptr, arena);
      for (const MapNode::Entry& entry : v.map()->entries())
        map->Set(entry.key, TreeOf(entry.value, nullptr, *type.element, arena), arena);
      return Value::Of(map);
    }
    default: return ByText(v, field, type, arena);
  }
}

}  // namespace

Value ToTree(const StructNode& node, Arena& arena) {
  const auto part = codec::Pass::Part();
  MapNode* const map = MapNode::New(nullptr, arena);
  for (const TypeDesc::Member& member : node.type->members) {
    const FieldDesc& field = node.type->fields[member.field];
    const Value& v = node.slot(field.ordinal);
    if (Shows(v, field)) map->Set(field.name, TreeOf(v, &field, *field.type, arena), arena);
  }
  return Value::Of(map);
}

}  // namespace keelson::api::json

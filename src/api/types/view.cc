#include "api/types/view.h"

namespace keelson::api::edit {
namespace {

void Set(StructNode* node, size_t ordinal, Value v, bool keep) { node->slot(ordinal) = keep ? v : Value(); }

const TypeDesc& TypeOf(const StructNode* node, size_t ordinal) { return *node->type->fields[ordinal].type; }

}  // namespace

void SetBool(StructNode* node, size_t ordinal, bool v, bool keep_zero) {
  Set(node, ordinal, Value::Bool(v), keep_zero || v);
}
void SetInt(StructNode* node, size_t ordinal, int64_t v, bool keep_zero) {
  Set(node, ordinal, Value::Int(v), keep_zero || v != 0);
}
void SetDouble(StructNode* node, size_t ordinal, double v, bool keep_zero) {
  Set(node, ordinal, Value::Double(v), keep_zero || v != 0);
}
void SetString(StructNode* node, size_t ordinal, std::string_view v, bool keep_zero) {
  Set(node, ordinal, Value::String(v), keep_zero || !v.empty());
}
void SetBytes(StructNode* node, size_t ordinal, std::string_view v, bool keep_zero) {
  Set(node, ordinal, Value::Bytes(v), keep_zero || !v.empty());
}
void SetValue(StructNode* node, size_t ordinal, Value v, bool /*keep_zero*/) { node->slot(ordinal) = v; }

StructNode* MutableStruct(StructNode* node, size_t ordinal, Arena& arena) {
  Value& slot = node->slot(ordinal);
  if (!slot.node()) slot = Value::Of(StructNode::New(TypeOf(node, ordinal), arena));
  return slot.node();
}

ListNode& MutableList(StructNode* node, size_t ordinal, Arena& arena) {
  Value& slot = node->slot(ordinal);
  if (!slot.list()) slot = Value::Of(ListNode::New(TypeOf(node, ordinal).element, arena));
  return *slot.list();
}

MapNode& MutableMap(StructNode* node, size_t ordinal, Arena& arena) {
  Value& slot = node->slot(ordinal);
  if (!slot.map()) slot = Value::Of(MapNode::New(TypeOf(node, ordinal).element, arena));
  return *slot.map();
}

StructNode* AddStruct(StructNode* node, size_t ordinal, Arena& arena) {
  ListNode& list = MutableList(node, ordinal, arena);
  StructNode* element = StructNode::New(*list.element, arena);
  list.Append(Value::Of(element), arena);
  return element;
}

void AddString(StructNode* node, size_t ordinal, std::string_view v, Arena& arena) {
  MutableList(node, ordinal, arena).Append(Value::String(arena.CopyString(v)), arena);
}

void Put(StructNode* node, size_t ordinal, std::string_view key, std::string_view v, Arena& arena) {
  MapNode& map = MutableMap(node, ordinal, arena);
  const bool bytes = map.element && map.element->kind == Kind::kBytes;
  const std::string_view copy = arena.CopyString(v);
  const Value value = bytes ? Value::Bytes(copy) : Value::String(copy);
  if (Value* present = map.Find(key)) {
    *present = value;
  } else {
    map.Set(arena.CopyString(key), value, arena);
  }
}

}  // namespace keelson::api::edit

#include "api/types/doc.h"

#include <algorithm>
#include <cstring>

namespace keelson::api {
namespace {

constexpr uint32_t kFirstCapacity = 4;

// Moves the elements of a list or map into an array twice as long.
template <class T>
void Grow(T*& data, uint32_t size, uint32_t& capacity, Arena& arena) {
  const uint32_t larger = capacity == 0 ? kFirstCapacity : capacity * 2;
  T* moved = arena.NewArray<T>(larger);
  std::copy(data, data + size, moved);
  data = moved;
  capacity = larger;
}

MapNode::Entry* LowerBound(const MapNode& map, std::string_view key) {
  return std::lower_bound(map.data, map.data + map.size, key,
                          [](const MapNode::Entry& e, std::string_view k) { return e.key < k; });
}

bool EqualLists(const ListNode* a, const ListNode* b, const TypeDesc* element);
bool EqualMaps(const MapNode* a, const MapNode* b, const TypeDesc* element);

bool EqualAny(const Value& a, const Value& b) {
  using Tag = Value::Tag;
  if (a.tag() != b.tag()) {
    const bool numbers = (a.is(Tag::kInt) || a.is(Tag::kDouble)) && (b.is(Tag::kInt) || b.is(Tag::kDouble));
    return numbers && a.real() == b.real();
  }
  switch (a.tag()) {
    case Tag::kAbsent:
    case Tag::kNull: return true;
    case Tag::kBool: return a.boolean() == b.boolean();
    case Tag::kInt: return a.integer() == b.integer();
    case Tag::kDouble: return a.real() == b.real();
    case Tag::kString:
    case Tag::kBytes: return a.string() == b.string();
    case Tag::kStruct: return Equal(a.node(), b.node());
    case Tag::kList: return EqualLists(a.list(), b.list(), nullptr);
    case Tag::kMap: return EqualMaps(a.map(), b.map(), nullptr);
  }
  return false;
}

bool EqualElements(const Value& a, const Value& b, const TypeDesc* element) {
  return element ? Equal(a, b, *element) : EqualAny(a, b);
}

bool EqualLists(const ListNode* a, const ListNode* b, const TypeDesc* element) {
  const size_t size = a ? a->size : 0;
  if (size != (b ? b->size : 0)) return false;
  for (size_t i = 0; i < size; ++i)
    if (!EqualElements(a->data[i], b->data[i], element)) return false;
  return true;
}

bool EqualMaps(const MapNode* a, const MapNode* b, const TypeDesc* element) {
  const size_t size = a ? a->size : 0;
  if (size != (b ? b->size : 0)) return false;
  for (size_t i = 0; i < size; ++i) {
    if (a->data[i].key != b->data[i].key) return false;
    if (!EqualElements(a->data[i].value, b->data[i].value, element)) return false;
  }
  return true;
}

// One of two values is absent: whether the other is what absent reads as.
bool ReadsAsAbsent(const Value& v, const TypeDesc& type) {
  switch (type.kind) {
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kIntOrString:
    case Kind::kAny: return v.absent();
    case Kind::kQuantity: return v.string().empty() || v.string() == "0";
    case Kind::kStruct: {
      const StructNode* node = v.node();
      if (!node) return true;
      for (const FieldDesc& field : type.fields) {
        const Value& slot = node->slot(field.ordinal);
        if (slot.absent()) continue;
        if (field.has(FieldDesc::kPointer) || !ReadsAsAbsent(slot, *field.type)) return false;
      }
      return true;
    }
    case Kind::kList: return !v.list() || v.list()->size == 0;
    case Kind::kMap: return !v.map() || v.map()->size == 0;
    default: return !v.boolean() && v.real() == 0 && v.string().empty();
  }
}

}  // namespace

StructNode* StructNode::New(const TypeDesc& type, Arena& arena) {
  const size_t slots = type.fields.size();
  void* p = arena.Allocate(sizeof(StructNode) + slots * sizeof(Value), alignof(Value));
  auto* node = new (p) StructNode{&type};
  std::uninitialized_default_construct_n(reinterpret_cast<Value*>(node + 1), slots);
  return node;
}

void ListNode::Append(Value v, Arena& arena) {
  if (size == capacity) Grow(data, size, capacity, arena);
  data[size++] = v;
}

void ListNode::Erase(size_t i) {
  std::copy(data + i + 1, data + size, data + i);
  --size;
}

ListNode* ListNode::New(const TypeDesc* element, Arena& arena) {
  return new (arena.Allocate(sizeof(ListNode), alignof(ListNode))) ListNode{element};
}

const Value* MapNode::Find(std::string_view key) const {
  const Entry* e = LowerBound(*this, key);
  return e != data + size && e->key == key ? &e->value : nullptr;
}

Value* MapNode::Find(std::string_view key) {
  return const_cast<Value*>(static_cast<const MapNode*>(this)->Find(key));
}

void MapNode::Set(std::string_view key, Value v, Arena& arena) {
  // Input is mostly sorted already: try the end first.
  Entry* e = size == 0 || data[size - 1].key < key ? data + size : LowerBound(*this, key);
  if (e != data + size && e->key == key) {
    e->value = v;
    return;
  }
  const size_t at = static_cast<size_t>(e - data);
  if (size == capacity) Grow(data, size, capacity, arena);
  std::copy_backward(data + at, data + size, data + size + 1);
  data[at] = {key, v};
  ++size;
}

void MapNode::Erase(std::string_view key) {
  Entry* e = LowerBound(*this, key);
  if (e == data + size || e->key != key) return;
  std::copy(e + 1, data + size, e);
  --size;
}

MapNode* MapNode::New(const TypeDesc* element, Arena& arena) {
  return new (arena.Allocate(sizeof(MapNode), alignof(MapNode))) MapNode{element};
}

bool Equal(const Value& a, const Value& b, const TypeDesc& type) {
  if (a.absent()) return ReadsAsAbsent(b, type);
  if (b.absent()) return ReadsAsAbsent(a, type);
  switch (type.kind) {
    case Kind::kStruct: return Equal(a.node(), b.node());
    case Kind::kList: return EqualLists(a.list(), b.list(), type.element);
    case Kind::kMap: return EqualMaps(a.map(), b.map(), type.element);
    default: return EqualAny(a, b);
  }
}

bool Equal(const StructNode* a, const StructNode* b) {
  if (a == b) return true;
  if (!a || !b) {
    const StructNode* present = a ? a : b;
    return ReadsAsAbsent(Value::Of(const_cast<StructNode*>(present)), *present->type);
  }
  if (a->type != b->type) return false;
  for (const FieldDesc& field : a->type->fields) {
    const Value& x = a->slot(field.ordinal);
    const Value& y = b->slot(field.ordinal);
    if (field.has(FieldDesc::kPointer) && x.absent() != y.absent()) return false;
    if (!Equal(x, y, *field.type)) return false;
  }
  return true;
}

Value DeepCopy(const Value& v, Arena& arena) {
  switch (v.tag()) {
    case Value::Tag::kString: return Value::String(arena.CopyString(v.string()));
    case Value::Tag::kBytes: return Value::Bytes(arena.CopyString(v.string()));
    case Value::Tag::kStruct: {
      const StructNode* from = v.node();
      StructNode* to = StructNode::New(*from->type, arena);
      for (size_t i = 0; i < from->type->fields.size(); ++i) to->slot(i) = DeepCopy(from->slot(i), arena);
      return Value::Of(to);
    }
    case Value::Tag::kList: {
      const ListNode* from = v.list();
      ListNode* to = ListNode::New(from->element, arena);
      to->data = arena.NewArray<Value>(from->size);
      to->size = to->capacity = from->size;
      for (size_t i = 0; i < from->size; ++i) to->data[i] = DeepCopy(from->data[i], arena);
      return Value::Of(to);
    }
    case Value::Tag::kMap: {
      const MapNode* from = v.map();
      MapNode* to = MapNode::New(from->element, arena);
      to->data = arena.NewArray<MapNode::Entry>(from->size);
      to->size = to->capacity = from->size;
      for (size_t i = 0; i < from->size; ++i) {
        to->data[i] = {arena.CopyString(from->data[i].key), DeepCopy(from->data[i].value, arena)};
      }
      return Value::Of(to);
    }
    default: return v;
  }
}

Doc Doc::Clone() const {
  if (!root_) return {};
  Arena arena;
  StructNode* root = DeepCopy(Value::Of(root_), arena).node();
  return Doc(std::move(arena), root);
}

}  // namespace keelson::api

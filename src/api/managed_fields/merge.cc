#include "api/managed_fields/merge.h"

#include <algorithm>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/map_builder.h"
#include "api/managed_fields/type_use.h"
#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"

namespace keelson::api::managed_fields {
namespace {

using Tag = Value::Tag;

StructNode* Inner(StructNode& node, const TypeDesc::Member& member, Arena& arena) {
  StructNode* owner = &node;
  for (const uint16_t step : {member.outer, member.inner}) {
    if (step == 0) break;
    Value& inner = owner->slot(step - 1);
    if (!inner.node()) inner = Value::Of(StructNode::New(*owner->type->fields[step - 1].type, arena));
    owner = inner.node();
  }
  return owner;
}

// Null was said to clear something; it has no place in an object.
Value WithoutNulls(Value v, const TypeDesc* type) {
  if (StructNode* node = v.node()) {
    for (const FieldDesc& f : node->type->fields)
      node->slot(f.ordinal) = WithoutNulls(node->slot(f.ordinal), f.type);
  } else if (type && (type->kind == Kind::kAny || IsUntyped(*type))) {
    return v;
  } else if (v.is(Tag::kNull)) {
    return {};
  } else if (ListNode* list = v.list()) {
    for (Value& item : list->items()) item = WithoutNulls(item, list->element);
  } else if (MapNode* map = v.map()) {
    for (MapNode::Entry& e : map->entries()) e.value = WithoutNulls(e.value, map->element);
  }
  return v;
}

class Merger {
 public:
  explicit Merger(Arena& arena) : arena_(arena) {}

  void Struct(StructNode& into, StructNode& config) {
    const TypeDesc& type = *into.type;
    for (const TypeDesc::Member& member : type.members) {
      if (IsPlainlyAbsent(&config, member)) continue;
      Side given = MemberOf(&config, type, member, Presence::kExplicit);
      const FieldDesc& field = FieldOf(type, member);
      if (!given.present || field.has(FieldDesc::kTypeMeta)) continue;
      Merge(Inner(into, member, arena_)->slot(member.field), given.value, {field.type, &field});
    }
    if (!IsOpen(type)) return;
    if (const Value content = ContentOf(config); content.map())
      Merge(ContentOf(into), content, ContentUse(type));
  }

 private:
  void Merge(Value& into, Value config, const TypeUse& use) {
    const bool any_map = use.type->kind == Kind::kAny && into.map() && config.map();
    if (use.type->kind == Kind::kStruct && !use.atomic() && into.node() && config.node())
      return Struct(*into.node(), *config.node());
    if (any_map || (use.type->kind == Kind::kMap && !use.atomic() && into.map() && config.map()))
      return Map(*into.map(), *config.map(), use);
    if (use.type->kind == Kind::kList && !use.atomic() && into.list() && config.list() &&
        config.list()->size > 0)
      return List(*into.list(), *config.list(), use);
    // An empty list claims nothing of one that has elements.
    if (use.type->kind == Kind::kList && !use.atomic() && into.list() && into.list()->size > 0) return;
    config = WithoutNulls(config, use.type);
    // What is equal as JSON is no change.
    if (!into.absent() && !config.absent() && !Equal(into, config, *use.type) &&
        SameButForRawText(into, config, *use.type, arena_))
      return;
    into = config;
  }

  void Map(MapNode& into, const MapNode& config, const TypeUse& use) {
    std::vector<MapNode::Entry> added;  // all at once: each by itself would move those behind it
    for (const MapNode::Entry& e : config.entries()) {
      const TypeUse element = use.member(e.key);
      if (Value* there = into.Find(e.key)) {
        Merge(*there, e.value, element);
      } else {
        Value made;
        Merge(made, e.value, element);
        if (made.absent()) made = json::ZeroElement(*element.type, arena_);
        added.push_back({e.key, made});
      }
    }
    MapBuilder builder(into, arena_);
    for (const MapNode::Entry& e : added) builder.Add(e.key, e.value);
    builder.Finish();
  }

  // One list, its elements in order, and where to find the first with a given path.
  struct Index {
    std::span<ListItem> sorted;
    std::vector<const ListItem*> in_order;

    // Null: none. `alone`: no other element has the same path.
    const ListItem* Find(const PathElement& path, bool* alone = nullptr) const {
      auto found = std::ranges::lower_bound(
          sorted, path, [](const PathElement& a, const PathElement& b) { return Compare(a, b) < 0; },
          &ListItem::path);
      if (found == sorted.end() || Compare(found->path, path) != 0) return nullptr;
      if (alone) *alone = found + 1 == sorted.end() || Compare((found + 1)->path, path) != 0;
      return &*found;
    }
  };
  Index IndexOf(const ListNode& list, const TypeUse& use, Presence presence) {
    Index index{SortedItems(&list, use, presence, arena_), {}};
    for (const ListItem& item : index.sorted) index.in_order.push_back(&item);
    std::ranges::sort(index.in_order, {}, [](const ListItem* i) { return i->index; });
    return index;
  }

  // Elements of both lists: those of the configuration in its order, the others where they
  // were relative to the elements that both have.
  void List(ListNode& into, const ListNode& config, const TypeUse& use) {
    const Index left = IndexOf(into, use, Presence::kJson);
    const Index right = IndexOf(config, use, Presence::kExplicit);
    std::vector<const ListItem*> shared;
    for (const ListItem* r : right.in_order)
      if (left.Find(r->path)) shared.push_back(r);
    size_t next_shared = 0;
    std::vector<bool> merged(right.sorted.size());
    auto is_next = [&](const PathElement& path) {
      return next_shared < shared.size() && Compare(shared[next_shared]->path, path) == 0;
    };
    std::vector<Value> out;
    out.reserve(left.in_order.size() + right.in_order.size());
    auto take_right = [&](const ListItem* r) {
      merged[static_cast<size_t>(r - right.sorted.data())] = true;
      out.push_back(Element(left, *r, use.element()));
      if (is_next(r->path)) ++next_shared;
    };
    size_t l = 0, r = 0;
    while (l < left.in_order.size() || r < right.in_order.size()) {
      if (l < left.in_order.size()) {
        const ListItem* item = left.in_order[l];
        const ListItem* both = right.Find(item->path);
        if (!both) {
          out.push_back(item->value);
          ++l;
          continue;
        }
        if (r < right.in_order.size()) {
          if (Compare(item->path, right.in_order[r]->path) == 0) {
            take_right(right.in_order[r++]);
            ++l;
            continue;
          }
          // It has its turn later, by the order of the configuration.
          if (next_shared < shared.size() && !is_next(item->path)) {
            ++l;
            continue;
          }
        }
        if (merged[static_cast<size_t>(both - right.sorted.data())]) ++l;
      }
      if (r < right.in_order.size()) take_right(right.in_order[r++]);
    }
    into.size = 0;
    for (const Value& v : out) into.Append(v, arena_);
  }

  // An element of the configuration, merged with the one it meets. Duplicates are replaced.
  Value Element(const Index& left, const ListItem& item, const TypeUse& element) {
    bool alone = false;
    const ListItem* met = left.Find(item.path, &alone);
    Value made = met && alone ? met->value : Value();
    Merge(made, item.value, element);
    return made;
  }

  Arena& arena_;
};

class Remover {
 public:
  explicit Remover(Arena& arena) : arena_(arena) {}

  // False: nothing is left.
  bool Struct(StructNode& node, const FieldSet& items) {
    const TypeDesc& type = *node.type;
    bool emptied = false;  // a member that is null now: it shows no more, but is there
    for (const TypeDesc::Member& member : type.members) {
      const FieldSet::Entry* e = items.Find(PathElement::Field(member.name));
      if (!e) continue;
      Value& slot = Inner(node, member, arena_)->slot(member.field);
      const FieldDesc& field = FieldOf(type, member);
      if (!e->member && (slot.absent() || Keep(slot, {field.type, &field}, *e->children))) continue;
      emptied |= !e->member;
      slot = {};
    }
    if (IsOpen(type) && ContentOf(node).map())
      emptied |= Map(*ContentOf(node).map(), ContentUse(type), items);
    return emptied || std::ranges::any_of(type.members, [&](const TypeDesc::Member& m) {
             return MemberOf(&node, type, m, Presence::kJson).present;
           });
  }

 private:
  // Takes `items` out of `v`; false when that leaves nothing of it.
  bool Keep(Value& v, const TypeUse& use, const FieldSet& items) {
    if (use.type->kind == Kind::kAny) return v.map() && Map(*v.map(), use, items);
    if (use.type->kind != Kind::kStruct && use.type->kind != Kind::kMap && use.type->kind != Kind::kList)
      return true;
    if (use.atomic()) return false;
    if (v.node()) return Struct(*v.node(), items);
    if (v.map()) return Map(*v.map(), use, items);
    return v.list() && List(*v.list(), use, items);
  }

  bool Map(MapNode& map, const TypeUse& use, const FieldSet& items) {
    uint32_t kept = 0;
    for (MapNode::Entry& entry : map.entries()) {
      const TypeUse element = use.member(entry.key);
      const FieldSet::Entry* e = items.Find(PathElement::Field(entry.key));
      if (e && e->member) continue;
      if (e && !Keep(entry.value, element, *e->children))
        entry.value = IsUntyped(*element.type) ? Value::Null() : json::ZeroElement(*element.type, arena_);
      map.data[kept++] = entry;
    }
    map.size = kept;
    return kept > 0;
  }

  bool List(ListNode& list, const TypeUse& use, const FieldSet& items) {
    uint32_t kept = 0;
    for (Value& item : list.items()) {
      PathElement path;
      const bool has_path = ElementPath(item, use, Presence::kJson, arena_, path, nullptr);
      const FieldSet::Entry* e = has_path ? items.Find(path) : nullptr;
      if (e && e->member) continue;
      if (e) Keep(item, use.element(), *e->children);
      list.data[kept++] = item;
    }
    list.size = kept;
    return kept > 0;
  }

  Arena& arena_;
};

const FieldSet* Named(const FieldSet* set, const TypeUse& use, Arena& arena) {
  if (!set) return nullptr;
  FieldSetBuilder out(arena);
  for (const FieldSet::Entry& e : set->entries()) {
    TypeUse below{&kAnyType, nullptr};
    bool named = false;
    if (e.element.kind == PathElement::Kind::kField && use.type->kind == Kind::kStruct) {
      MemberRef member = use.type->FindMember(e.element.name);
      named = member.field != nullptr;
      if (named) below = {member.field->type, member.field};
      if (!named && IsOpen(*use.type)) {
        const TypeUse content = ContentUse(*use.type);
        named = content.declares(e.element.name);
        below = content.member(e.element.name);
      }
    } else if (e.element.kind == PathElement::Kind::kField && IsUntyped(*use.type)) {
      named = use.declares(e.element.name);
      below = use.member(e.element.name);
    } else if (use.type->element) {
      below = use.element();
    }
    out.Add(e.element, e.member || named, Named(e.children, below, arena));
  }
  return out.Finish();
}

}  // namespace

bool SameButForRawText(const Value& a, const Value& b, const TypeDesc& type, Arena& arena) {
  if (Equal(a, b, type)) return true;
  if (type.kind == Kind::kRaw) {
    auto x = json::DecodeAny(arena.CopyString(a.string()), arena);
    auto y = json::DecodeAny(arena.CopyString(b.string()), arena);
    return x && y && Equal(*x, *y, kAnyType);
  }
  if (type.kind == Kind::kStruct && a.node() && b.node())
    return std::ranges::all_of(type.fields, [&](const FieldDesc& f) {
      return SameButForRawText(a.node()->slot(f.ordinal), b.node()->slot(f.ordinal), *f.type, arena);
    });
  if (type.kind == Kind::kList && a.list() && b.list())
    return std::ranges::equal(a.list()->items(), b.list()->items(), [&](const Value& x, const Value& y) {
      return SameButForRawText(x, y, *type.element, arena);
    });
  return false;
}

void MergeConfig(StructNode& root, StructNode& config, Arena& arena) { Merger(arena).Struct(root, config); }

void RemoveItems(StructNode& root, const FieldSet* items, Arena& arena) {
  if (items) Remover(arena).Struct(root, *items);
}

const FieldSet* WithNamedFields(const FieldSet* set, const TypeDesc& type, Arena& arena) {
  return Named(set, {&type, nullptr}, arena);
}

}  // namespace keelson::api::managed_fields

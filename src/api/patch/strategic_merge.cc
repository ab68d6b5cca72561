#include "api/patch/strategic_merge.h"

#include <algorithm>
#include <optional>

#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/patch/from_tree.h"
#include "api/patch/go_format.h"
#include "api/patch/key_index.h"
#include "api/validation/quote.h"

namespace keelson::api {
namespace {

using Tag = Value::Tag;
using ErrorKind = StrategicMergeError::Kind;
using Done = base::Result<void, StrategicMergeError>;

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetElementOrder = "$setElementOrder";
constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList";

std::unexpected<StrategicMergeError> Fail(ErrorKind kind, std::string message) {
  return std::unexpected(StrategicMergeError{kind, std::move(message)});
}
std::unexpected<StrategicMergeError> BadRetainKeys() {
  return Fail(ErrorKind::kBadRequest, "invalid patch format of retainKeys");
}
std::unexpected<StrategicMergeError> BadArgType(std::string_view expected, const Value& actual) {
  return Fail(ErrorKind::kUnknown,
              "expected a " + std::string(expected) + ", but received a " + std::string(GoType(actual)));
}
std::unexpected<StrategicMergeError> BadPatchType(const Value& directive, MapNode& map) {
  return Fail(ErrorKind::kUnknown,
              "unknown patch type: " + GoFormat(directive) + " in map: " + GoFormat(Value::Of(&map)));
}
std::unexpected<StrategicMergeError> NoMergeKey(MapNode& map, std::string_view key) {
  return Fail(ErrorKind::kUnknown, "map: " + GoFormat(Value::Of(&map)) +
                                       " does not contain declared merge key: " + std::string(key));
}

bool IsDirective(std::string_view key) {
  return key.starts_with(kSetElementOrder) || key.starts_with(kDeleteFromPrimitiveList);
}

// "$prefix/name" names the list it is about.
std::optional<std::string_view> NameAfter(std::string_view key, std::string_view prefix) {
  if (key.size() <= prefix.size() || key[prefix.size()] != '/') return std::nullopt;
  return key.substr(prefix.size() + 1);
}

bool HasDirective(const Value& v) { return v.map() && v.map()->Find(kPatch); }

// What a patch leaves where nothing was before: no directives, and no nulls in objects.
// False: the value itself is a directive.
bool Clean(Value& v) {
  if (MapNode* map = v.map()) {
    if (map->Find(kPatch)) return false;
    uint32_t kept = 0;
    for (MapNode::Entry& e : map->entries())
      if (!e.value.is(Tag::kNull) && Clean(e.value)) map->data[kept++] = e;
    map->size = kept;
  } else if (ListNode* list = v.list()) {
    uint32_t kept = 0;
    for (Value& item : list->items())
      if (Clean(item)) list->data[kept++] = item;
    list->size = kept;
  }
  return true;
}

// An element of the merged list with its place in the list there was and in the list that
// orders it; -1: not in it.
struct Placed {
  Value value;
  int64_t was = -1;
  int64_t ordered = -1;
};

// The elements that are ordered keep that order, the others the one they had; both are
// interleaved by the places they had, as far as those are known.
void Arrange(std::vector<Placed>& items, ListNode& out) {
  auto others =
      std::stable_partition(items.begin(), items.end(), [](const Placed& p) { return p.ordered >= 0; });
  std::stable_sort(items.begin(), others,
                   [](const Placed& a, const Placed& b) { return a.ordered < b.ordered; });
  std::stable_sort(others, items.end(), [](const Placed& a, const Placed& b) { return a.was < b.was; });
  uint32_t at = 0;
  auto left = others, right = items.begin();
  while (left != items.end() || right != others) {
    bool take_left = right == others ||
                     (left != items.end() && left->was >= 0 && right->was >= 0 && left->was < right->was);
    out.data[at++] = take_left ? (left++)->value : (right++)->value;
  }
  out.size = at;
}

class Merger {
 public:
  Merger(Arena& arena, std::vector<std::string>* unknown) : arena_(arena), convert_(arena, unknown) {}

  // `slot` holds a struct of `type`.
  Done Struct(Value& slot, const TypeDesc& type, MapNode& patch, const TreePath* at) {
    if (const Value* directive = patch.Find(kPatch)) {
      if (directive->string() == "replace") {
        patch.Erase(kPatch);
        return Replace(slot, type, Value::Of(&patch), at);
      }
      if (directive->string() != "delete") return BadPatchType(*directive, patch);
      slot = Value::Of(StructNode::New(type, arena_));
      return {};
    }
    StructNode& node = *slot.node();
    TRY(RetainKeys(patch, [&](auto&& retained) { ClearOthers(node, retained); }));
    TRY(OrderLists(node, patch, at));
    for (MapNode::Entry& e : patch.entries()) {
      if (e.value.absent()) continue;
      TRY(Member(node, e.key, e.value, at));
    }
    return {};
  }

 private:
  // `value` in place of what is in `slot`.
  Done Replace(Value& slot, const TypeDesc& type, const Value& value, const TreePath* at) {
    auto made = convert_.Field(value, type, at);
    if (!made) return Fail(ErrorKind::kBadValue, std::move(made.error()));
    slot = *made;
    return {};
  }

  template <class Clear>
  Done RetainKeys(MapNode& patch, Clear&& clear_others) {
    const Value* found = patch.Find(kRetainKeys);
    if (!found) return {};
    const ListNode* keys = found->list();
    patch.Erase(kRetainKeys);
    if (!keys) return BadRetainKeys();
    KeyIndex names;
    for (const Value& k : keys->items()) names.Add(k, 0);
    auto retained = [&names](std::string_view name) { return names.Has(Value::String(name)); };
    for (const MapNode::Entry& e : patch.entries())
      if (!e.value.is(Tag::kNull) && !IsDirective(e.key) && !retained(e.key)) return BadRetainKeys();
    clear_others(retained);
    return {};
  }

  template <class Retained>
  static void ClearOthers(StructNode& node, Retained&& retained) {
    for (const FieldDesc& f : node.type->fields) {
      Value& v = node.slot(f.ordinal);
      if (f.has(FieldDesc::kInline) && v.node()) {
        ClearOthers(*v.node(), retained);
      } else if (!f.name.empty() && !retained(f.name)) {
        v = {};
      }
    }
  }

  // The slot of a member; made if it lives in an inline struct that is not there yet.
  Value& SlotOf(StructNode& node, const MemberRef& member) {
    StructNode* owner = &node;
    for (const FieldDesc* step : {member.outer, member.inner}) {
      if (!step) break;
      Value& inlined = owner->slot(step->ordinal);
      if (!inlined.node()) inlined = Value::Of(StructNode::New(*step->type, arena_));
      owner = inlined.node();
    }
    return owner->slot(member.field->ordinal);
  }

  static std::unexpected<StrategicMergeError> NoField(const TypeDesc& type, std::string_view name) {
    return Fail(ErrorKind::kUnknown, "unable to find api field in struct " +
                                         std::string(type.name.substr(type.name.rfind('.') + 1)) +
                                         " for the json field " + Quoted(name));
  }

  // Merges the lists that $setElementOrder speaks of; what it used is absent in the patch
  // from then on.
  Done OrderLists(StructNode& node, MapNode& patch, const TreePath* at) {
    for (MapNode::Entry& entry : patch.entries()) {
      if (!entry.key.starts_with(kSetElementOrder)) continue;
      const Value directive = std::exchange(entry.value, Value());
      const ListNode* order = directive.list();
      if (!order) return BadArgType("[]interface {}", directive);
      auto name = NameAfter(entry.key, kSetElementOrder);
      if (!name) return Fail(ErrorKind::kBadRequest, "invalid patch format of setElementOrder list");
      Value* list = patch.Find(*name);
      if (list && !list->list()) return BadArgType("[]interface {}", *list);
      MemberRef member = node.type->FindMember(*name);
      if (!member.field) return NoField(*node.type, *name);
      if (member.field->type->kind != Kind::kList)
        return Fail(ErrorKind::kUnknown, "expected slice or array type, but got: struct");
      const TreePath path{at, *name};
      TRY(Ordered(SlotOf(node, member), *member.field, list, *order, &path));
      if (list) *list = {};
    }
    return {};
  }

  Done Ordered(Value& slot, const FieldDesc& field, Value* patch, const ListNode& order, const TreePath* at) {
    if (!patch && !slot.list()) return {};
    if (patch) TRY(CheckOrder(*patch->list(), order, field.patch_merge_key));
    if (!patch) return Arranged(slot, field, *slot.list(), order);
    if (!slot.list()) {
      Clean(*patch);
      TRY(Replace(slot, *field.type, *patch, at));
      ListNode none{field.type->element};
      return Arranged(slot, field, none, order);
    }
    const ListNode was = CopyOf(*slot.list());
    TRY(List(slot, field, *patch->list(), at));
    return Arranged(slot, field, was, order);
  }

  // The elements of a patch must come in the order that the patch itself demands.
  static Done CheckOrder(ListNode& patch, const ListNode& order, std::string_view key) {
    if (patch.size == 0 || order.size == 0) return {};
    size_t in_order = 0;
    for (const Value& item : patch.items()) {
      if (HasDirective(item)) continue;
      const Value* wanted = &item;
      if (!key.empty()) {
        if (!item.map()) return BadArgType("map[string]interface {}", item);
        wanted = item.map()->Find(key);
        if (!wanted) return NoMergeKey(*item.map(), key);
      }
      for (;; ++in_order) {
        if (in_order == order.size)
          return Fail(ErrorKind::kUnknown, "The order in patch list:\n" + GoFormat(Value::Of(&patch)) +
                                               "\n doesn't match " + std::string(kSetElementOrder) +
                                               " list:\n" +
                                               GoFormat(Value::Of(const_cast<ListNode*>(&order))) + "\n");
        const Value* other = &order.data[in_order];
        if (!key.empty()) {
          if (!other->map()) return BadArgType("map[string]interface {}", *other);
          MapNode* map = other->map();
          other = map->Find(key);
          if (!other) return NoMergeKey(*map, key);
        }
        if (SameScalar(*wanted, *other)) break;
      }
      ++in_order;
    }
    return {};
  }

  // Puts the list in `slot` into order: that of `order`, a list of the patch, then that of `was`.
  Done Arranged(Value& slot, const FieldDesc& field, const ListNode& was, const ListNode& order) {
    ListNode* list = slot.list();
    if (!list) return {};
    KeyIndex before, ordered;
    for (size_t i = 0; i < was.size; ++i)
      if (const Value* key = KeyOf(was.data[i], field)) before.Add(*key, static_cast<int64_t>(i));
    for (size_t i = 0; i < order.size; ++i)
      if (const Value* key = PatchKeyOf(order.data[i], field)) ordered.Add(*key, static_cast<int64_t>(i));
    std::vector<Placed> items;
    items.reserve(list->size);
    for (const Value& item : list->items()) {
      const Value* key = KeyOf(item, field);
      items.push_back({item, key ? before.Find(*key) : -1, key ? ordered.Find(*key) : -1});
    }
    Arrange(items, *list);
    return {};
  }

  // What elements are matched by: the merge key of a struct, else the element itself. Null:
  // the element has none. Valid until the next call.
  const Value* KeyOf(const Value& element, const FieldDesc& field) {
    const StructNode* node = element.node();
    if (!node) return &element;
    MemberRef member = node->type->FindMember(field.patch_merge_key);
    if (!member.field) return nullptr;
    if (member.outer) node = node->slot(member.outer->ordinal).node();
    if (member.inner && node) node = node->slot(member.inner->ordinal).node();
    const Value& v = node ? node->slot(member.field->ordinal) : kAbsent;
    if (!v.absent()) return &v;
    if (!json::ShowsWhenEmpty(*member.field)) return nullptr;
    zero_ = json::ZeroElement(*member.field->type, arena_);
    return &zero_;
  }
  static const Value* PatchKeyOf(const Value& element, const FieldDesc& field) {
    return element.map() ? element.map()->Find(field.patch_merge_key) : &element;
  }

  Done Member(StructNode& node, std::string_view key, Value& value, const TreePath* at) {
    bool deletions = false;
    if (key.starts_with(kDeleteFromPrimitiveList)) {
      auto name = NameAfter(key, kDeleteFromPrimitiveList);
      if (!name) return Fail(ErrorKind::kBadRequest, "invalid patch format of primitive list");
      key = *name;
      deletions = true;
    }
    MemberRef member = node.type->FindMember(key);
    if (!member.field) {
      if (!value.is(Tag::kNull) && !deletions) convert_.ReportUnknown(key, at);
      return {};
    }
    Value& slot = SlotOf(node, member);
    if (value.is(Tag::kNull)) {
      slot = {};
      return {};
    }
    const TreePath path{at, key};
    return Present(slot, *member.field, value, deletions, &path);
  }

  // Merges a value that is not null into the member in `slot`.
  Done Present(Value& slot, const FieldDesc& field, Value& value, bool deletions, const TreePath* at) {
    const TypeDesc& type = *field.type;
    if (type.kind == Kind::kStruct && !type.either && value.map()) {
      if (!slot.node() && json::ShowsWhenEmpty(field) && !field.has(FieldDesc::kPointer))
        slot = Value::Of(StructNode::New(type, arena_));
      if (slot.node()) return Struct(slot, type, *value.map(), at);
    }
    if (type.kind == Kind::kMap && value.map() && slot.map() && slot.map()->size > 0)
      return Map(slot, type, *value.map(), at);
    if (type.kind == Kind::kList && value.list() && slot.list() && slot.list()->size > 0) {
      if (deletions) return DeleteScalars(*slot.list(), *value.list());
      if (field.has(FieldDesc::kPatchMerge)) return List(slot, field, *value.list(), at);
      return Replace(slot, type, value, at);
    }
    if (deletions) return {};
    if (!Clean(value)) {
      slot = {};
      return {};
    }
    return Replace(slot, type, value, at);
  }

  // A map with keys of its own, such as labels.
  Done Map(Value& slot, const TypeDesc& type, MapNode& patch, const TreePath* at) {
    if (const Value* directive = patch.Find(kPatch)) {
      if (directive->string() == "replace") {
        patch.Erase(kPatch);
        return Replace(slot, type, Value::Of(&patch), at);
      }
      if (directive->string() != "delete") return BadPatchType(*directive, patch);
      slot = Value::Of(MapNode::New(type.element, arena_));
      return {};
    }
    MapNode& map = *slot.map();
    auto clear = [&](auto&& retained) {
      uint32_t kept = 0;
      for (const MapNode::Entry& e : map.entries())
        if (retained(e.key)) map.data[kept++] = e;
      map.size = kept;
    };
    TRY(RetainKeys(patch, clear));
    // Both are sorted: one pass over the two.
    MapNode merged{type.element, arena_.NewArray<MapNode::Entry>(map.size + patch.size)};
    size_t i = 0;
    for (MapNode::Entry& e : patch.entries()) {
      while (i < map.size && map.data[i].key < e.key) merged.data[merged.size++] = map.data[i++];
      const Value* before = i < map.size && map.data[i].key == e.key ? &map.data[i++].value : nullptr;
      if (e.value.is(Tag::kNull)) continue;
      if ((e.value.map() || e.value.list()) && before && (before->map() || before->list() || before->node()))
        return Fail(ErrorKind::kUnknown,
                    "merging an object in json but data type is not struct, instead is: map");
      if (!Clean(e.value)) continue;
      const TreePath path{at, e.key};
      auto made = convert_.Element(e.value, *type.element, &path);
      if (!made) return Fail(ErrorKind::kBadValue, std::move(made.error()));
      merged.data[merged.size++] = {e.key, *made};
    }
    while (i < map.size) merged.data[merged.size++] = map.data[i++];
    merged.capacity = merged.size;
    map = merged;
    return {};
  }

  static Done DeleteScalars(ListNode& list, const ListNode& gone) {
    KeyIndex deleted;
    for (const Value& g : gone.items()) deleted.Add(g, 0);
    uint32_t kept = 0;
    for (const Value& item : list.items())
      if (!deleted.Has(item)) list.data[kept++] = item;
    list.size = kept;
    return {};
  }

  ListNode CopyOf(const ListNode& list) {
    ListNode copy = list;
    copy.data = arena_.NewArray<Value>(list.size);
    std::copy_n(list.data, list.size, copy.data);
    return copy;
  }

  // Merges `patch` into the list in `slot`, which has elements.
  Done List(Value& slot, const FieldDesc& field, ListNode& patch, const TreePath* at) {
    const bool maps = field.type->element->kind == Kind::kStruct;
    for (const Value& item : patch.items())
      if (item.list() || maps != (item.map() != nullptr)) return MixedElements(slot, field, patch);
    if (field.type->element->kind != Kind::kStruct) return ScalarList(slot, field, patch, at);
    if (field.patch_merge_key.empty())
      return Fail(ErrorKind::kUnknown, "cannot merge lists without merge key for struct");
    ListNode& list = *slot.list();
    TRY(Directives(slot, field, patch));
    const ListNode was = CopyOf(list);
    KeyIndex index;
    for (size_t i = 0; i < list.size; ++i)
      if (const Value* key = KeyOf(list.data[i], field)) index.Add(*key, static_cast<int64_t>(i));
    for (const Value& item : patch.items()) TRY(StructElement(list, index, field, *item.map(), at));
    return Arranged(slot, field, was, patch);
  }

  std::unexpected<StrategicMergeError> MixedElements(const Value& was, const FieldDesc& field,
                                                     ListNode& patch) {
    base::BufferBuilder text;
    json::Encode(was, *field.type, text);
    auto shown = json::DecodeAny(text.view(), arena_);
    return Fail(ErrorKind::kUnknown, "list element types are not identical: [" +
                                         (shown ? GoFormat(*shown) : std::string()) + " " +
                                         GoFormat(Value::Of(&patch)) + "]");
  }

  // `elements` knows where the keys of `list` are.
  Done StructElement(ListNode& list, KeyIndex& elements, const FieldDesc& field, MapNode& item,
                     const TreePath* at) {
    const Value* key = item.Find(field.patch_merge_key);
    if (!key) return NoMergeKey(item, field.patch_merge_key);
    const int64_t index = elements.Find(*key);
    if (index >= 0) {
      const TreePath path{at, {}, index};
      return Struct(list.data[index], *field.type->element, item, &path);
    }
    const TreePath path{at, {}, list.size};
    auto made = convert_.Element(Value::Of(&item), *field.type->element, &path);
    if (!made) return Fail(ErrorKind::kBadValue, std::move(made.error()));
    elements.Add(*key, list.size);
    list.Append(*made, arena_);
    return {};
  }

  // Elements with $patch: they say what happens to the list and are taken out of the patch.
  Done Directives(Value& slot, const FieldDesc& field, ListNode& patch) {
    ListNode& list = *slot.list();
    uint32_t kept = 0;
    bool replace = false;
    KeyIndex deleted;
    for (const Value& item : patch.items()) {
      const Value* directive = item.map()->Find(kPatch);
      if (!directive) {
        patch.data[kept++] = item;
      } else if (directive->string() == "delete") {
        const Value* key = item.map()->Find(field.patch_merge_key);
        if (!key) return NoMergeKey(*item.map(), field.patch_merge_key);
        deleted.Add(*key, 0);
      } else if (directive->string() == "replace") {
        replace = true;
      } else if (directive->string() == "merge") {
        return Fail(ErrorKind::kUnknown, "merging lists cannot yet be specified in the patch");
      } else {
        return BadPatchType(*directive, *item.map());
      }
    }
    patch.size = kept;
    kept = 0;
    for (const Value& item : list.items()) {
      const Value* key = KeyOf(item, field);
      if (!replace && !(key && deleted.Has(*key))) list.data[kept++] = item;
    }
    list.size = kept;
    return {};
  }

  Done ScalarList(Value& slot, const FieldDesc& field, ListNode& patch, const TreePath* at) {
    ListNode& list = *slot.list();
    const ListNode was = CopyOf(list);
    KeyIndex there;
    for (const Value& item : list.items()) there.Add(item, 0);
    for (const Value& item : patch.items()) {
      const TreePath path{at, {}, list.size};
      auto made = convert_.Element(item, *field.type->element, &path);
      if (!made) return Fail(ErrorKind::kBadValue, std::move(made.error()));
      if (there.Has(*made)) continue;
      there.Add(*made, 0);
      list.Append(*made, arena_);
    }
    return Arranged(slot, field, was, patch);
  }

  static constexpr Value kAbsent{};

  Arena& arena_;
  FromTree convert_;
  Value zero_;
};

}  // namespace

base::Result<void, StrategicMergeError> StrategicMerge(StructNode& root, MapNode& patch, Arena& arena,
                                                       std::vector<std::string>* unknown) {
  Value slot = Value::Of(&root);
  // No patch turns an object into one of another kind.
  const Value kind = root.slot(0), api_version = root.type->root ? root.slot(1) : Value();
  Merger merger(arena, unknown);
  TRY(merger.Struct(slot, *root.type, patch, nullptr));
  // A directive at the root made another node.
  if (slot.node() != &root) std::ranges::copy(slot.node()->slots(), root.slots().begin());
  if (root.type->root) {
    root.slot(0) = kind;
    root.slot(1) = api_version;
  }
  return {};
}

}  // namespace keelson::api

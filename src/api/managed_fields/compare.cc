#include "api/managed_fields/compare.h"

#include <algorithm>
#include <array>

#include "api/codec/json_presence.h"
#include "api/managed_fields/merge.h"
#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"

namespace keelson::api::managed_fields {
namespace {

// Names, versions and the like: they identify an object or are the server's.
bool IsOwnedByNobody(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {
      "creationTimestamp", "generation",      "managedFields", "name",
      "namespace",         "resourceVersion", "selfLink",      "uid"};
  return std::ranges::find(kNames, name) != kNames.end();
}

size_t SizeOf(const Value& v) {
  if (v.list()) return v.list()->size;
  if (v.map()) return v.map()->size;
  return 0;
}

enum class Collecting : uint8_t {
  kEverything,  // containers too: what appears or disappears with them
  kLeaves,      // what a configuration claims
  kNamed,       // that, and the fields on the way there
};

class Collector {
 public:
  Collector(Collecting collecting, Presence presence, Arena& arena)
      : every_(collecting == Collecting::kEverything),
        named_(collecting == Collecting::kNamed),
        presence_(presence),
        arena_(arena) {}

  // What is below `v`; null when the value itself is the leaf.
  const FieldSet* Below(const Value& v, const TypeUse& use) {
    if (use.atomic()) return nullptr;
    switch (use.type->kind) {
      case Kind::kStruct: return v.is(Value::Tag::kNull) ? nullptr : Struct(v.node(), *use.type);
      case Kind::kMap: return Map(v.map(), use);
      case Kind::kList: return List(v.list(), use);
      case Kind::kAny: return v.map() ? Map(v.map(), use) : nullptr;
      default: return nullptr;
    }
  }

  const FieldSet* Struct(const StructNode* node, const TypeDesc& type,
                         bool (*skip)(std::string_view) = nullptr) {
    FieldSetBuilder out(arena_);
    for (const TypeDesc::Member& member : type.members) {
      if (IsPlainlyAbsent(node, member) &&
          (presence_ == Presence::kExplicit || !json::ShowsWhenEmpty(type.fields[member.field])))
        continue;
      const FieldDesc& field = FieldOf(type, member);
      if (field.has(FieldDesc::kTypeMeta) || (skip && skip(member.name))) continue;
      Side side = MemberOf(node, type, member, presence_);
      if (!side.present) continue;
      const TypeUse use{field.type, &field};
      const FieldSet* below = Below(side.value, use);
      out.Add(PathElement::Field(member.name), every_ || (named_ && below) || IsLeaf(side.value, use, below),
              below);
    }
    const FieldSet* members = out.Finish();
    if (!IsOpen(type) || !node) return members;
    return Union(members, Map(ContentOf(*node), ContentUse(type)), arena_);
  }

 private:
  // An empty list is no leaf of a configuration: it claims nothing.
  bool IsLeaf(const Value& v, const TypeUse& use, const FieldSet* below) const {
    if (use.atomic() || v.is(Value::Tag::kNull)) return true;
    if (use.type->kind == Kind::kAny && !v.map()) return true;
    if (use.type->kind == Kind::kList) return presence_ == Presence::kJson && v.absent();
    if (use.type->kind == Kind::kMap) return !v.map() || v.map()->size == 0;
    // With nothing in it, not with nothing that is claimed.
    if (use.type->kind == Kind::kStruct) return !below && !HasMembers(v.node(), *use.type);
    return !below;
  }

  bool HasMembers(const StructNode* node, const TypeDesc& type) const {
    return std::ranges::any_of(type.members, [&](const TypeDesc::Member& member) {
      return MemberOf(node, type, member, presence_).present;
    });
  }

  // Entries are owned as such; fields that the type names, by what is in them.
  const FieldSet* Map(const MapNode* map, const TypeUse& use) {
    if (!map) return nullptr;
    FieldSetBuilder out(arena_);
    for (const MapNode::Entry& e : map->entries()) {
      const TypeUse entry = use.member(e.key);
      const FieldSet* below = Below(e.value, entry);
      const bool owned = every_ || (named_ && below) || !use.declares(e.key) || IsLeaf(e.value, entry, below);
      out.Add(PathElement::Field(e.key), owned, below);
    }
    return out.Finish();
  }

  const FieldSet* List(const ListNode* list, const TypeUse& use) {
    auto items = SortedItems(list, use, presence_, arena_);
    FieldSetBuilder out(arena_);
    for (size_t i = 0; i < items.size(); ++i) {
      size_t last = i;
      while (last + 1 < items.size() && Compare(items[i].path, items[last + 1].path) == 0) ++last;
      // Duplicates are owned together, as one thing without parts.
      out.Add(items[i].path, true, last == i ? Below(items[i].value, use.element()) : nullptr);
      i = last;
    }
    return out.Finish();
  }

  const bool every_, named_;
  const Presence presence_;
  Arena& arena_;
};

// Whether a configuration has something in it that an object would not show.
bool Hides(const Value& v, const TypeDesc& type) {
  if (v.node() && type.kind == Kind::kStruct && !type.either)
    return std::ranges::any_of(type.members, [&](const TypeDesc::Member& member) {
      const Side side = MemberOf(v.node(), type, member, Presence::kExplicit);
      const FieldDesc& field = FieldOf(type, member);
      return side.present && (side.value.is(Value::Tag::kNull) || !json::Shows(side.value, field) ||
                              Hides(side.value, *field.type));
    });
  if (v.list() && type.kind == Kind::kList)
    return std::ranges::any_of(v.list()->items(),
                               [&](const Value& item) { return Hides(item, *type.element); });
  if (v.map() && type.kind == Kind::kMap && type.element)
    return std::ranges::any_of(v.map()->entries(),
                               [&](const MapNode::Entry& e) { return Hides(e.value, *type.element); });
  return false;
}

class HidingWholes {
 public:
  explicit HidingWholes(Arena& arena) : arena_(arena) {}

  const FieldSet* Struct(const StructNode& node, const TypeDesc& type) {
    FieldSetBuilder out(arena_);
    for (const TypeDesc::Member& member : type.members) {
      const FieldDesc& field = FieldOf(type, member);
      const Side side = MemberOf(&node, type, member, Presence::kExplicit);
      if (side.present) Add(PathElement::Field(member.name), side.value, {field.type, &field}, out);
    }
    return out.Finish();
  }

 private:
  void Add(const PathElement& path, const Value& v, const TypeUse& use, FieldSetBuilder& out) {
    const bool whole = use.atomic() && Hides(v, *use.type);
    const FieldSet* const below = use.atomic() ? nullptr : Below(v, use);
    out.Add(path, whole, below);
  }

  const FieldSet* Below(const Value& v, const TypeUse& use) {
    if (v.node() && use.type->kind == Kind::kStruct && !use.type->either) return Struct(*v.node(), *use.type);
    FieldSetBuilder out(arena_);
    if (v.list() && use.type->kind == Kind::kList)
      for (const ListItem& item : SortedItems(v.list(), use, Presence::kExplicit, arena_))
        Add(item.path, item.value, use.element(), out);
    if (v.map() && use.type->kind == Kind::kMap && use.type->element)
      for (const MapNode::Entry& e : v.map()->entries())
        Add(PathElement::Field(e.key), e.value, use.member(e.key), out);
    return out.Finish();
  }

  Arena& arena_;
};

// What changed about one value: it itself, and below it.
struct Change {
  Comparison below;
  bool removed = false, modified = false, added = false;
};

class Comparer {
 public:
  explicit Comparer(Arena& arena)
      : arena_(arena), collector_(Collecting::kEverything, Presence::kJson, arena) {}

  Comparison Struct(const StructNode* was, const StructNode* now, const TypeDesc& type,
                    bool (*skip)(std::string_view) = nullptr, const StructNode* touched = nullptr) {
    Builders out(arena_);
    for (const TypeDesc::Member& member : type.members) {
      if (IsPlainlyAbsent(was, member) && IsPlainlyAbsent(now, member)) continue;
      if (touched && IsPlainlyAbsent(touched, member)) continue;
      const FieldDesc& field = FieldOf(type, member);
      if (field.has(FieldDesc::kTypeMeta) || (skip && skip(member.name))) continue;
      Side x = MemberOf(was, type, member, Presence::kJson);
      Side y = MemberOf(now, type, member, Presence::kJson);
      // Absent on both sides shows the same on both.
      if (x.value.absent() && y.value.absent() && x.present == y.present) continue;
      const bool metadata = type.root && member.name == "metadata";
      if (metadata && field.type->kind == Kind::kStruct) {
        out.Add(PathElement::Field(member.name),
                {Struct(x.value.node(), y.value.node(), *field.type, IsOwnedByNobody)});
      } else {
        out.Add(PathElement::Field(member.name), Of(x, y, {field.type, &field}));
      }
    }
    Comparison c = out.Finish();
    if (!IsOpen(type)) return c;
    const Comparison others =
        Map(was ? ContentOf(*was) : nullptr, now ? ContentOf(*now) : nullptr, ContentUse(type));
    return {Union(c.removed, others.removed, arena_), Union(c.modified, others.modified, arena_),
            Union(c.added, others.added, arena_)};
  }

 private:
  struct Builders {
    explicit Builders(Arena& arena) : removed(arena), modified(arena), added(arena) {}
    void Add(const PathElement& element, const Change& c) {
      removed.Add(element, c.removed, c.below.removed);
      modified.Add(element, c.modified, c.below.modified);
      added.Add(element, c.added, c.below.added);
    }
    Comparison Finish() { return {removed.Finish(), modified.Finish(), added.Finish()}; }
    FieldSetBuilder removed, modified, added;
  };

  Change Of(const Side& x, const Side& y, const TypeUse& use) {
    Change c;
    if (!x.present && !y.present) return c;
    if (!x.present) {
      c.added = true;
      c.below.added = collector_.Below(y.value, use);
    } else if (!y.present) {
      c.removed = true;
      c.below.removed = collector_.Below(x.value, use);
    } else {
      Both(x.value, y.value, use, c);
    }
    return c;
  }

  void Both(const Value& x, const Value& y, const TypeUse& use, Change& c) {
    const Kind kind = use.type->kind;
    if (kind == Kind::kAny) return Any(x, y, use, c);
    const bool collection = kind == Kind::kList || kind == Kind::kMap;
    // Where both are empty, null still differs from empty.
    if (collection && SizeOf(x) == 0 && SizeOf(y) == 0) {
      c.modified = IsUntyped(*use.type) ? !SameTree(x, y) : x.absent() != y.absent();
    } else if (use.atomic()) {
      c.modified =
          !SameButForRawText(x, y, *use.type, arena_) || (PointerTo(use) && x.absent() != y.absent());
    } else if (kind == Kind::kStruct && PointerTo(use) && !x.node() != !y.node()) {
      NullAndStruct(x, y, use, c);
    } else if (kind == Kind::kStruct) {
      c.below = Struct(x.node(), y.node(), *use.type);
    } else if (kind == Kind::kMap) {
      c.below = Map(x.map(), y.map(), use);
    } else {
      c.below = List(x.list(), y.list(), use);
    }
  }

  // A pointer that is shown as null on one side: null has no members, not even those that an empty struct
  // shows.
  void NullAndStruct(const Value& x, const Value& y, const TypeUse& use, Change& c) {
    const FieldSet* const members = collector_.Below(x.node() ? x : y, use);
    (x.node() ? c.below.removed : c.below.added) = members;
    c.modified = !members;
  }

  // Empty collections, or values that are none, whatever their type says.
  static bool SameTree(const Value& x, const Value& y) { return x.tag() == y.tag() && Equal(x, y, kAnyType); }
  static bool PointerTo(const TypeUse& use) { return use.field && use.field->has(FieldDesc::kPointer); }

  void Any(const Value& x, const Value& y, const TypeUse& use, Change& c) {
    if (x.map() && y.map() && (x.map()->size || y.map()->size)) {
      c.below = Map(x.map(), y.map(), use);
      return;
    }
    if (Equal(x, y, *use.type)) return;
    c.modified = true;
    if (y.map() || !x.map()) c.below.added = collector_.Below(y, use);
    if (x.map()) c.below.removed = collector_.Below(x, use);
  }

  Comparison Map(const MapNode* was, const MapNode* now, const TypeUse& use) {
    Builders out(arena_);
    const MapNode::Entry* x = was ? was->data : nullptr;
    const MapNode::Entry* y = now ? now->data : nullptr;
    const MapNode::Entry* const x_end = was ? x + was->size : nullptr;
    const MapNode::Entry* const y_end = now ? y + now->size : nullptr;
    while (x != x_end || y != y_end) {
      const auto order = x == x_end   ? std::strong_ordering::greater
                         : y == y_end ? std::strong_ordering::less
                                      : x->key <=> y->key;
      Side a, b;
      const std::string_view key = order <= 0 ? x->key : y->key;
      if (order <= 0) a = {true, (x++)->value};
      if (order >= 0) b = {true, (y++)->value};
      out.Add(PathElement::Field(key), Of(a, b, use.member(key)));
    }
    return out.Finish();
  }

  Comparison List(const ListNode* was, const ListNode* now, const TypeUse& use) {
    auto x = SortedItems(was, use, Presence::kJson, arena_);
    auto y = SortedItems(now, use, Presence::kJson, arena_);
    Builders out(arena_);
    size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
      const int order = i == x.size() ? 1 : j == y.size() ? -1 : Compare(x[i].path, y[j].path);
      const PathElement& path = order <= 0 ? x[i].path : y[j].path;
      auto run = [&](std::span<ListItem> items, size_t& at) {
        const size_t begin = at;
        while (at < items.size() && Compare(items[at].path, path) == 0) ++at;
        return items.subspan(begin, at - begin);
      };
      std::span<ListItem> a, b;
      if (order <= 0) a = run(x, i);
      if (order >= 0) b = run(y, j);
      out.Add(path, Items(a, b, use.element()));
    }
    return out.Finish();
  }

  // Elements with the same path. Mostly one on each side; duplicates are compared as a whole.
  Change Items(std::span<ListItem> was, std::span<ListItem> now, const TypeUse& element) {
    auto only = [](std::span<ListItem> items) {
      return items.empty() ? Side{} : Side{true, items.front().value};
    };
    if (was.size() <= 1 && now.size() <= 1) return Of(only(was), only(now), element);
    Change c;
    if (was.size() >= 2 && now.size() >= 2) {
      auto same = [&](const ListItem& a, const ListItem& b) {
        return Equal(a.value, b.value, *element.type);
      };
      c.modified = !std::ranges::equal(was, now, same);
    } else if (was.size() >= 2) {
      c = Of({}, only(now), element);
      c.removed = true;
    } else {
      c = Of(only(was), {}, element);
      c.added = true;
    }
    return c;
  }

  Arena& arena_;
  Collector collector_;
};

}  // namespace

Comparison CompareObjects(const StructNode* was, const StructNode& now, Arena& arena,
                          const StructNode* touched) {
  return Comparer(arena).Struct(was, &now, *now.type, nullptr, touched);
}

const FieldSet* ToFieldSet(const StructNode& root, Presence presence, Arena& arena) {
  return Collector(Collecting::kLeaves, presence, arena).Struct(&root, *root.type);
}

const FieldSet* ToNamedFieldSet(const StructNode& root, Presence presence, Arena& arena) {
  return Collector(Collecting::kNamed, presence, arena).Struct(&root, *root.type);
}

const FieldSet* AllOf(const StructNode& root, Presence presence, Arena& arena) {
  return Collector(Collecting::kEverything, presence, arena).Struct(&root, *root.type);
}

const FieldSet* WholesThatHide(const StructNode& config, Arena& arena) {
  return HidingWholes(arena).Struct(config, *config.type);
}

}  // namespace keelson::api::managed_fields

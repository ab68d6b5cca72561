#include "api/managed_fields/config.h"

#include <optional>
#include <vector>

#include "api/codec/json_presence.h"
#include "api/managed_fields/type_use.h"
#include "api/patch/from_tree.h"
#include "api/patch/go_format.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"

namespace keelson::api::managed_fields {
namespace {

using Tag = Value::Tag;

// Where in the configuration something is. Put into words only when something is wrong there.
struct Path {
  const Path* parent = nullptr;
  std::string_view member;  // or, if that has no data, the element at
  size_t index = 0;

  std::string ToString() const {
    std::string text = parent ? parent->ToString() : std::string();
    if (member.data()) return text.append(".").append(member);
    return text.append("[").append(std::to_string(index)).append("]");
  }
};

// As Go's %#v.
std::string GoSyntax(const Value& tree) {
  if (tree.is(Tag::kString)) return Quoted(tree.string());
  if (tree.is(Tag::kNull)) return "interface {}(nil)";
  if (!tree.map() && !tree.list()) return GoFormat(tree);
  std::string text = std::string(GoType(tree)) + "{";
  auto separate = [&, first = true]() mutable { text += std::exchange(first, false) ? "" : ", "; };
  if (tree.list())
    for (const Value& item : tree.list()->items()) separate(), text += GoSyntax(item);
  if (tree.map())
    for (const MapNode::Entry& e : tree.map()->entries())
      separate(), text += Quoted(e.key) + ":" + GoSyntax(e.value);
  return text + "}";
}

class ConfigReader {
 public:
  explicit ConfigReader(Arena& arena) : arena_(arena), convert_(arena, nullptr) {}

  base::Result<Config, ConfigError> Read(const Value& tree, const TypeDesc& type) {
    Value root = Struct(tree, type, nullptr);
    if (!errors_.empty()) return base::Err(ConfigError{Errors()});
    if (conversion_) return base::Err(ConfigError{*conversion_, true});
    return Config{root.node() ? root.node() : StructNode::New(type, arena_), hides_};
  }

 private:
  // An empty key is one too.
  static std::string_view Name(std::string_view key) { return key.data() ? key : std::string_view(""); }

  Value Any(const Value& tree, const TypeUse& use, const Path* at) {
    if (tree.is(Tag::kNull)) return tree;
    switch (use.type->kind) {
      case Kind::kStruct:
        // Of either form: the schema says nothing about it.
        return use.type->either ? Converted(tree, *use.type) : Struct(tree, *use.type, at);
      case Kind::kMap: return Map(tree, use, at);
      case Kind::kList: return List(tree, use, at);
      case Kind::kAny: return tree;
      case Kind::kRaw: return Converted(tree, *use.type);
      default: return Scalar(tree, *use.type, at);
    }
  }

  Value Struct(const Value& tree, const TypeDesc& type, const Path* at) {
    const MapNode* map = tree.map();
    if (!map) return Error(at, "expected map, got &{" + GoFormat(tree) + "}");
    StructNode* node = StructNode::New(type, arena_);
    for (const MapNode::Entry& e : map->entries()) {
      const Path path{at, Name(e.key)};
      MemberRef member = type.FindMember(e.key);
      if (!member.field && IsOpen(type)) {
        if (!Entry(e, ContentUse(type), path, MutableContentOf(*node, arena_))) break;
        continue;
      }
      if (!member.field) {
        Undeclared(path);
        break;
      }
      StructNode* owner = node;
      for (const FieldDesc* const step : {member.outer, member.inner}) {
        if (!step) break;
        Value& inner = owner->slot(step->ordinal);
        if (!inner.node()) inner = Value::Of(StructNode::New(*step->type, arena_));
        owner = inner.node();
      }
      Value& slot = owner->slot(member.field->ordinal);
      slot = Any(e.value, {member.field->type, member.field}, &path);
      hides_ |= slot.is(Tag::kNull) || !json::Shows(slot, *member.field);
    }
    return Value::Of(node);
  }

  Value Map(const Value& tree, const TypeUse& use, const Path* at) {
    const MapNode* from = tree.map();
    if (!from) return Error(at, "expected map, got &{" + GoFormat(tree) + "}");
    MapNode* map = MapNode::New(IsUntyped(*use.type) ? nullptr : use.type->element, arena_);
    map->data = arena_.NewArray<MapNode::Entry>(from->size);
    map->capacity = from->size;
    for (const MapNode::Entry& e : from->entries()) {
      const Path path{at, Name(e.key)};
      if (!Entry(e, use, path, *map)) break;
    }
    return Value::Of(map);
  }

  // False: the type does not allow such a key. Entries come in order.
  bool Entry(const MapNode::Entry& e, const TypeUse& use, const Path& path, MapNode& map) {
    if (!use.type->element && !use.declares(e.key)) {
      Undeclared(path);
      return false;
    }
    map.Set(e.key, Any(e.value, use.member(e.key), &path), arena_);
    return true;
  }

  void Undeclared(const Path& path) { Error(&path, "field not declared in schema"); }

  Value List(const Value& tree, const TypeUse& use, const Path* at) {
    const ListNode* from = tree.list();
    if (!from) return Error(at, "expected list, got &{" + GoFormat(tree) + "}");
    ListNode* list = ListNode::New(IsUntyped(*use.type) ? nullptr : use.type->element, arena_);
    list->data = arena_.NewArray<Value>(from->size);
    list->capacity = from->size;
    const bool atomic = use.list() == TypeUse::List::kAtomic;
    for (const Value& item : from->items()) {
      const size_t i = list->size;
      const size_t errors = errors_.size();
      const Path path{at, {}, i};
      // A tree can be named before it is looked into.
      PathElement name;
      std::string unnamed;
      if (!atomic && IsUntyped(*use.type) &&
          !ElementPath(item, use, Presence::kExplicit, arena_, name, &unnamed)) {
        Error(at, "element " + std::to_string(i) + ": " + unnamed);
        break;
      }
      Value made = Any(item, use.element(), &path);
      list->data[list->size++] = made;
      if (atomic) continue;
      PathElement element;
      if (errors_.size() != errors) {
        if (ElementPath(KeysOf(item, use), use, Presence::kExplicit, arena_, element, nullptr))
          RenameErrors(errors, path, (at ? at->ToString() : std::string()) + element.ToString());
        continue;
      }
      std::string why;
      if (!ElementPath(made, use, Presence::kExplicit, arena_, element, &why)) {
        Error(at, "element " + std::to_string(i) + ": " + why);
        break;
      }
    }
    if (!atomic) ReportDuplicates(*list, use, at);
    return Value::Of(list);
  }

  // An element with nothing but what tells it from others; it may be in error elsewhere.
  Value KeysOf(const Value& item, const TypeUse& use) {
    if (!item.map() || use.list() != TypeUse::List::kKeyed) return item;
    MapNode* keys = MapNode::New(nullptr, arena_);
    for (const std::string_view key : use.keys())
      if (const Value* value = item.map()->Find(key)) keys->Set(key, *value, arena_);
    return Any(Value::Of(keys), use.element(), nullptr);
  }
  // Errors from the `first` on, all below `was`, speak of the element by its key.
  void RenameErrors(size_t first, const Path& was, const std::string& now) {
    const size_t prefix = was.ToString().size();
    for (size_t i = first; i < errors_.size(); ++i) errors_[i].replace(0, prefix, now);
  }

  void ReportDuplicates(const ListNode& list, const TypeUse& use, const Path* at) {
    auto items = SortedItems(&list, use, Presence::kExplicit, arena_);
    for (size_t i = 1; i < items.size(); ++i)
      if (Compare(items[i - 1].path, items[i].path) == 0)
        Error(at, "duplicate entries for key " + items[i].path.ToString());
  }

  Value Scalar(const Value& tree, const TypeDesc& type, const Path* at) {
    const bool compound = tree.map() || tree.list();
    switch (type.kind) {
      case Kind::kBool:
        if (!tree.is(Tag::kBool)) return Error(at, "expected boolean, got &{" + GoFormat(tree) + "}");
        break;
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kDouble:
        if (!tree.is(Tag::kInt) && !tree.is(Tag::kDouble))
          return Error(at, "expected numeric (int or float), got " + std::string(GoType(tree)));
        break;
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kDuration:
        if (!tree.is(Tag::kString))
          return Error(at, "expected string, got &value.valueUnstructured{Value:" + GoSyntax(tree) + "}");
        break;
      default:
        if (compound) return Error(at, "expected any scalar, got &{" + GoFormat(tree) + "}");
    }
    return IsUntyped(type) ? tree : Converted(tree, type);
  }

  Value Converted(const Value& tree, const TypeDesc& type) {
    auto value = convert_.Element(tree, type, nullptr);
    if (value) return *value;
    if (!conversion_) conversion_ = std::move(value.error());
    return {};
  }

  Value Error(const Path* at, std::string message) {
    std::string path = at ? at->ToString() : std::string();
    errors_.push_back(path.empty() ? std::move(message) : path + ": " + message);
    return {};
  }

  std::string Errors() const {
    if (errors_.size() == 1) return errors_.front();
    std::string all = "errors:";
    for (const std::string& e : errors_) all.append("\n  ").append(e);
    return all;
  }

  Arena& arena_;
  FromTree convert_;
  std::vector<std::string> errors_;
  std::optional<std::string> conversion_;
  bool hides_ = false;
};

}  // namespace

base::Result<Config, ConfigError> ReadConfig(const Value& tree, const TypeDesc& type, Arena& arena) {
  return ConfigReader(arena).Read(tree, type);
}

}  // namespace keelson::api::managed_fields

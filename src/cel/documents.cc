#include "cel/documents.h"

#include <vector>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/time_format.h"
#include "cel/patch_types.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

using api::FieldDesc;
using api::Kind;
using api::TypeDesc;

// Keeps what a value looks into.
struct Keeper {
  std::string text;
  api::Arena arena;
  api::Value root;
};
using KeeperRef = std::shared_ptr<const Keeper>;

Value Read(const api::Value& v, const TypeDesc* type, const KeeperRef& kept);

class DocList final : public List {
 public:
  DocList(const api::ListNode& list, const TypeDesc* element, KeeperRef kept)
      : list_(list), element_(element), kept_(std::move(kept)) {}
  size_t size() const override { return list_.size; }
  Value At(size_t i) const override { return Read(list_.data[i], element_, kept_); }

 private:
  const api::ListNode& list_;
  const TypeDesc* element_;
  KeeperRef kept_;
};

class DocMap final : public Map {
 public:
  DocMap(const api::MapNode& map, const TypeDesc* element, KeeperRef kept)
      : map_(map), element_(element), kept_(std::move(kept)) {}
  size_t size() const override { return map_.size; }
  std::optional<Value> Find(const Value& key) const override {
    if (!key.is(Value::Kind::kString)) return std::nullopt;
    const api::Value* const found = map_.Find(key.text());
    return found ? std::optional(Read(*found, element_, kept_)) : std::nullopt;
  }
  Value KeyAt(size_t i) const override { return Value::Borrowed(map_.data[i].key); }
  Value ValueAt(size_t i) const override { return Read(map_.data[i].value, element_, kept_); }

 private:
  const api::MapNode& map_;
  const TypeDesc* element_;
  KeeperRef kept_;
};

Value ReadAbsent(const TypeDesc& type, bool pointer);

// A struct, or one that is not there but whose members show all the same.
class DocStruct final : public Map {
 public:
  DocStruct(const api::StructNode* node, const TypeDesc& type, KeeperRef kept)
      : node_(node), type_(type), kept_(std::move(kept)) {}

  size_t size() const override { return Members().size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (!key.is(Value::Kind::kString)) return std::nullopt;
    const api::MemberRef member = type_.FindMember(key.text());
    if (!member.field) return FindOpen(key.text());
    const api::StructNode* node = node_;
    for (const FieldDesc* inlined : {member.outer, member.inner}) {
      if (!inlined) continue;
      const api::StructNode* const inner = node ? node->slot(inlined->ordinal).node() : nullptr;
      if (!inner && inlined->has(FieldDesc::kPointer)) return std::nullopt;
      node = inner;
    }
    const api::Value absent;
    const api::Value& value = node ? node->slot(member.field->ordinal) : absent;
    if (!api::json::Shows(value, *member.field)) return std::nullopt;
    return OfField(*member.field, value);
  }
  Value KeyAt(size_t i) const override { return Value::Borrowed(Members()[i].name); }
  Value ValueAt(size_t i) const override {
    const Shown& shown = Members()[i];
    return shown.field ? OfField(*shown.field, *shown.value) : Read(*shown.value, shown.element, kept_);
  }

 private:
  struct Shown {
    std::string_view name;
    const FieldDesc* field;  // null: an entry of a map whose entries are members
    const api::Value* value;
    const TypeDesc* element = nullptr;  // of the entry
  };

  // A custom object has its members in a map.
  std::optional<Value> FindOpen(std::string_view name) const {
    for (const FieldDesc& field : type_.fields) {
      if (!field.has(FieldDesc::kInline) || field.type->kind != Kind::kMap || !node_) continue;
      const api::MapNode* const map = node_->slot(field.ordinal).map();
      if (const api::Value* found = map ? map->Find(name) : nullptr)
        return Read(*found, field.type->element, kept_);
    }
    return std::nullopt;
  }

  Value OfField(const FieldDesc& field, const api::Value& value) const {
    if (value.absent()) return ReadAbsent(*field.type, field.has(FieldDesc::kPointer));
    return Read(value, field.type, kept_);
  }

  const std::vector<Shown>& Members() const {
    if (!listed_) Collect(node_, type_);
    listed_ = true;
    return members_;
  }
  void Collect(const api::StructNode* node, const TypeDesc& type) const {
    static const api::Value absent;
    for (const FieldDesc& field : type.fields) {
      const api::Value& value = node ? node->slot(field.ordinal) : absent;
      if (field.has(FieldDesc::kInline) && field.type->kind == Kind::kMap) {
        if (value.map())
          for (const auto& entry : value.map()->entries())
            members_.push_back({entry.key, nullptr, &entry.value, field.type->element});
      } else if (field.has(FieldDesc::kInline) && field.type->kind == Kind::kStruct) {
        if (value.node() || !field.has(FieldDesc::kPointer)) Collect(value.node(), *field.type);
      } else if (api::json::Shows(value, field)) {
        members_.push_back({field.name, &field, &value});
      }
    }
  }

  const api::StructNode* node_;
  const TypeDesc& type_;
  KeeperRef kept_;
  mutable bool listed_ = false;
  mutable std::vector<Shown> members_;
};

// A root whose kind is known from elsewhere.
class DocRoot final : public Map {
 public:
  DocRoot(const api::StructNode& node, std::string api_version, std::string kind)
      : members_(&node, *node.type, nullptr), api_version_(std::move(api_version)), kind_(std::move(kind)) {
    order_.push_back(std::string_view("kind"));
    order_.push_back(std::string_view("apiVersion"));
    for (size_t i = 0; i < members_.size(); ++i) {
      const std::string_view name = members_.KeyAt(i).text();
      if (name != "kind" && name != "apiVersion") order_.push_back(name);
    }
  }
  size_t size() const override { return order_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (key.is(Value::Kind::kString) && key.text() == "kind") return Value::Borrowed(kind_);
    if (key.is(Value::Kind::kString) && key.text() == "apiVersion") return Value::Borrowed(api_version_);
    return members_.Find(key);
  }
  Value KeyAt(size_t i) const override { return Value::Borrowed(order_[i]); }
  Value ValueAt(size_t i) const override { return *Find(KeyAt(i)); }

 private:
  DocStruct members_;
  std::string api_version_, kind_;
  std::vector<std::string_view> order_;
};

Value ReadAbsent(const TypeDesc& type, bool pointer) {
  if (pointer) return Value();
  switch (type.kind) {
    case Kind::kBool: return Value::Bool(false);
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kIntOrString: return Value::Int(0);
    case Kind::kDouble: return Value::Double(0);
    case Kind::kString: return Value::Borrowed("");
    case Kind::kQuantity: return Value::Borrowed("0");
    case Kind::kDuration: return Value::Borrowed("0s");
    case Kind::kStruct: return Value::Of(std::make_shared<const DocStruct>(nullptr, type, nullptr));
    default: return Value();
  }
}

template <size_t size, class Format>
Value Formatted(const Format& format) {
  char text[size];
  return Value::String(std::string(text, format(text)));
}

// A type whose JSON is one of its fields, or its text.
Value ReadEither(const api::StructNode& node, const KeeperRef& kept) {
  const FieldDesc* shown = nullptr;
  for (const FieldDesc& field : node.type->fields) {
    const api::Value& v = node.slot(field.ordinal);
    if (field.type->kind == Kind::kBool ? shown == nullptr : v.node() || (v.list() && v.list()->size > 0))
      shown = &field;
  }
  return shown ? Read(node.slot(shown->ordinal), shown->type, kept) : Value();
}

Value ReadTree(const api::Value& v, const KeeperRef& kept) {
  using Tag = api::Value::Tag;
  switch (v.tag()) {
    case Tag::kBool: return Value::Bool(v.boolean());
    case Tag::kInt: return Value::Int(v.integer());
    case Tag::kDouble: return Value::Double(v.real());
    case Tag::kString: return Value::Borrowed(v.string());
    case Tag::kList: return Value::Of(std::make_shared<const DocList>(*v.list(), v.list()->element, kept));
    case Tag::kMap: return Value::Of(std::make_shared<const DocMap>(*v.map(), v.map()->element, kept));
    case Tag::kStruct: return Value::Of(std::make_shared<const DocStruct>(v.node(), *v.node()->type, kept));
    default: return Value();
  }
}

Value Read(const api::Value& v, const TypeDesc* type, const KeeperRef& kept) {
  if (!type || type->kind == Kind::kAny) return ReadTree(v, kept);
  if (v.absent()) return ReadAbsent(*type, false);
  switch (type->kind) {
    case Kind::kBool: return Value::Bool(v.boolean());
    case Kind::kInt32:
    case Kind::kInt64: return Value::Int(v.integer());
    case Kind::kDouble: return Value::Double(v.real());
    case Kind::kString:
    case Kind::kQuantity: return Value::Borrowed(v.string());
    case Kind::kBytes: {
      std::string text(api::Base64EncodedSize(v.string().size()), '\0');
      api::Base64Encode(v.string(), text.data());
      return Value::String(std::move(text));
    }
    case Kind::kTime:
      return Formatted<api::kMaxTimeSize>([&](char* out) { return api::FormatTime(v.integer(), out); });
    case Kind::kMicroTime:
      return Formatted<api::kMaxTimeSize>([&](char* out) { return api::FormatMicroTime(v.integer(), out); });
    case Kind::kDuration:
      return Formatted<api::kMaxDurationSize>(
          [&](char* out) { return api::FormatDuration(v.integer(), out); });
    case Kind::kIntOrString:
      return v.is(api::Value::Tag::kString) ? Value::Borrowed(v.string()) : Value::Int(v.integer());
    case Kind::kRaw: return v.string().empty() ? Value() : FromJson(v.string());
    case Kind::kStruct:
      if (type->either) return ReadEither(*v.node(), kept);
      return Value::Of(std::make_shared<const DocStruct>(v.node(), *type, kept));
    case Kind::kList: return Value::Of(std::make_shared<const DocList>(*v.list(), type->element, kept));
    case Kind::kMap: return Value::Of(std::make_shared<const DocMap>(*v.map(), type->element, kept));
    case Kind::kAny: break;
  }
  return ReadTree(v, kept);
}

}  // namespace

Value FromDoc(const api::Doc& doc) {
  if (!doc) return Value();
  return Value::Of(std::make_shared<const DocStruct>(doc.root(), doc.type(), nullptr));
}

Value FromDoc(const api::Doc& doc, std::string api_version, std::string kind) {
  if (!doc) return Value();
  return Value::Of(std::make_shared<const DocRoot>(*doc.root(), std::move(api_version), std::move(kind)));
}

Value FromDocument(const api::Value& value, const TypeDesc* type) { return Read(value, type, nullptr); }

Value FromJson(std::string_view text) {
  auto keeper = std::make_shared<Keeper>();
  keeper->text = std::string(text);
  auto tree = api::json::DecodeAny(keeper->text, keeper->arena);
  if (!tree) return Value::Error(tree.error().message);
  keeper->root = *tree;
  // What is a scalar does not keep the keeper, so its text is copied.
  if (tree->is(api::Value::Tag::kString)) return Value::String(std::string(tree->string()));
  return ReadTree(keeper->root, keeper);
}

base::Result<api::Value, std::string> ToTree(const Value& value, api::Arena& arena) {
  using Result = base::Result<api::Value, std::string>;
  switch (value.kind()) {
    case Value::Kind::kNull: return api::Value::Null();
    case Value::Kind::kBool: return api::Value::Bool(value.boolean());
    case Value::Kind::kInt:
    case Value::Kind::kUint: return api::Value::Int(value.integer());
    case Value::Kind::kDouble: return api::Value::Double(value.real());
    case Value::Kind::kString: return api::Value::String(arena.CopyString(value.text()));
    case Value::Kind::kDuration:
      return api::Value::String(arena.CopyString(FormatDurationSeconds(value.integer())));
    case Value::Kind::kTimestamp:
      return api::Value::String(arena.CopyString(FormatTimestamp(value.integer(), value.nanos())));
    case Value::Kind::kList: {
      api::ListNode* const list = api::ListNode::New(nullptr, arena);
      for (size_t i = 0; i < value.list().size(); ++i) {
        Result item = ToTree(value.list().At(i), arena);
        if (!item) return item;
        list->Append(*item, arena);
      }
      return api::Value::Of(list);
    }
    case Value::Kind::kMap: {
      api::MapNode* const map = api::MapNode::New(nullptr, arena);
      for (size_t i = 0; i < value.map().size(); ++i) {
        const Value key = value.map().KeyAt(i);
        if (!key.is(Value::Kind::kString))
          return base::Err("map key " + ToText(key) + " is of type " + TypeOf(key)->name() + ", not string");
        Result item = ToTree(value.map().ValueAt(i), arena);
        if (!item) return item;
        map->Set(arena.CopyString(key.text()), *item, arena);
      }
      return api::Value::Of(map);
    }
    default: break;
  }
  if (const auto* object = value.As<PatchObject>()) {
    api::MapNode* const map = api::MapNode::New(nullptr, arena);
    for (const auto& [name, field] : object->fields()) {
      Result item = ToTree(field, arena);
      if (!item) return item;
      map->Set(arena.CopyString(name), *item, arena);
    }
    return api::Value::Of(map);
  }
  if (value.is(Value::Kind::kObject)) return api::Value::String(arena.CopyString(value.object().ToString()));
  return base::Err("a value of type " + TypeOf(value)->name() + " has no JSON");
}

}  // namespace keelson::cel

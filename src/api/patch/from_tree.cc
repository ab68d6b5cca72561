#include "api/patch/from_tree.h"

#include <cmath>
#include <limits>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/quantity.h"
#include "api/codec/time_format.h"
#include "api/patch/go_format.h"
#include "api/validation/quote.h"

namespace keelson::api {
namespace {

using Tag = Value::Tag;

std::unexpected<std::string> Unrecognized(std::string_view go_type) {
  return base::Err("unrecognized type: " + std::string(go_type));
}
std::unexpected<std::string> CannotConvert(std::string_view from, std::string_view to) {
  return base::Err("cannot convert " + std::string(from) + " to " + std::string(to));
}

FromTree::Result Integer(const Value& tree, bool wide) {
  const std::string_view go_type = wide ? "int64" : "int32";
  int64_t i = tree.integer();
  if (tree.is(Tag::kDouble)) {
    const double d = tree.real();
    if (d != std::trunc(d) || std::fabs(d) >= 9.2e18) return CannotConvert("float64", go_type);
    i = static_cast<int64_t>(d);
  } else if (!tree.is(Tag::kInt)) {
    return Unrecognized(go_type);
  }
  // Go's conversion cuts off what does not fit.
  return Value::Int(wide ? i : static_cast<int32_t>(i));
}

std::string CannotUnmarshal(const Value& tree, std::string_view go_type) {
  std::string_view json = tree.map()                                    ? "object"
                          : tree.list()                                 ? "array"
                          : tree.is(Tag::kInt) || tree.is(Tag::kDouble) ? "number"
                          : tree.is(Tag::kBool)                         ? "bool"
                                                                        : "string";
  return "json: cannot unmarshal " + std::string(json) + " into Go value of type " + std::string(go_type);
}

FromTree::Result IntOrString(const Value& tree) {
  if (tree.is(Tag::kString)) return tree;
  if (!tree.is(Tag::kInt)) return base::Err(CannotUnmarshal(tree, "int32"));
  const int64_t i = tree.integer();
  if (i != static_cast<int32_t>(i))
    return base::Err("json: cannot unmarshal number " + std::to_string(i) + " into Go value of type int32");
  return tree;
}

}  // namespace

std::string TreePath::ToString() const {
  std::string path = parent ? parent->ToString() : std::string();
  if (index >= 0) return path + "[" + std::to_string(index) + "]";
  if (!path.empty()) path += '.';
  return path.append(name);
}

void FromTree::ReportUnknown(std::string_view name, const TreePath* at) {
  if (unknown_) unknown_->push_back("unknown field " + Quoted(TreePath{at, name}.ToString()));
}

FromTree::Result FromTree::Field(const Value& tree, const TypeDesc& type, const TreePath* at) {
  if (tree.is(Tag::kNull)) return Value();
  return Convert(tree, type, at);
}

FromTree::Result FromTree::Element(const Value& tree, const TypeDesc& type, const TreePath* at) {
  if (tree.is(Tag::kNull)) return json::ZeroElement(type, arena_);
  return Convert(tree, type, at);
}

FromTree::Result FromTree::Convert(const Value& tree, const TypeDesc& type, const TreePath* at) {
  switch (type.kind) {
    case Kind::kBool:
      if (!tree.is(Tag::kBool)) return Unrecognized("bool");
      return tree;
    case Kind::kInt32:
    case Kind::kInt64: return Integer(tree, type.kind == Kind::kInt64);
    case Kind::kDouble:
      if (!tree.is(Tag::kInt) && !tree.is(Tag::kDouble)) return Unrecognized("float64");
      return Value::Double(tree.real());
    case Kind::kString:
      if (tree.is(Tag::kInt)) return CannotConvert("int64", "string");
      if (!tree.is(Tag::kString)) return Unrecognized("string");
      return tree;
    case Kind::kBytes: return Bytes(tree);
    case Kind::kQuantity: return Quantity(tree);
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration: return Timely(tree, type.kind);
    case Kind::kIntOrString: return IntOrString(tree);
    case Kind::kRaw: return Value::String(TextOf(tree));
    case Kind::kStruct: return Struct(tree, type, at);
    case Kind::kList: return List(tree, type, at);
    case Kind::kMap: return Map(tree, type, at);
    case Kind::kAny: return tree;
  }
  return tree;
}

std::string_view FromTree::TextOf(const Value& tree) {
  base::BufferBuilder text;
  json::EncodeAny(tree, text);
  return arena_.CopyString(text.view());
}

FromTree::Result FromTree::Struct(const Value& tree, const TypeDesc& type, const TreePath* at) {
  if (type.either) {
    auto decoded = json::Decode(TextOf(tree), type, arena_, nullptr);
    if (!decoded) return base::Err(std::move(decoded.error().message));
    return Value::Of(*decoded);
  }
  const MapNode* map = tree.map();
  if (!map) return base::Err("cannot restore struct from: " + std::string(GoKind(tree)));
  StructNode* node = StructNode::New(type, arena_);
  for (const MapNode::Entry& e : map->entries()) {
    MemberRef member = type.FindMember(e.key);
    if (!member.field) {
      ReportUnknown(e.key, at);
      continue;
    }
    const TreePath path{at, e.key};
    auto value = TRY(Field(e.value, *member.field->type, &path));
    StructNode* owner = node;
    for (const FieldDesc* step : {member.outer, member.inner}) {
      if (!step) break;
      Value& inlined = owner->slot(step->ordinal);
      if (!inlined.node()) inlined = Value::Of(StructNode::New(*step->type, arena_));
      owner = inlined.node();
    }
    owner->slot(member.field->ordinal) = value;
  }
  return Value::Of(node);
}

FromTree::Result FromTree::List(const Value& tree, const TypeDesc& type, const TreePath* at) {
  const ListNode* from = tree.list();
  if (!from) return base::Err("cannot restore slice from " + std::string(GoKind(tree)));
  ListNode* list = ListNode::New(type.element, arena_);
  list->data = arena_.NewArray<Value>(from->size);
  list->capacity = from->size;
  for (const Value& item : from->items()) {
    const TreePath path{at, {}, list->size};
    auto value = TRY(Element(item, *type.element, &path));
    list->data[list->size++] = value;
  }
  return Value::Of(list);
}

FromTree::Result FromTree::Map(const Value& tree, const TypeDesc& type, const TreePath* at) {
  const MapNode* from = tree.map();
  if (!from) return base::Err("cannot restore map from " + std::string(GoKind(tree)));
  MapNode* map = MapNode::New(type.element, arena_);
  map->data = arena_.NewArray<MapNode::Entry>(from->size);
  map->capacity = from->size;
  for (const MapNode::Entry& e : from->entries()) {
    auto value = TRY(Element(e.value, *type.element, at));
    map->data[map->size++] = {e.key, value};
  }
  return Value::Of(map);
}

FromTree::Result FromTree::Bytes(const Value& tree) {
  if (!tree.is(Tag::kString)) return base::Err("cannot restore slice from " + std::string(GoKind(tree)));
  const std::string_view text = tree.string();
  char* bytes = static_cast<char*>(arena_.Allocate(Base64DecodedBound(text.size()), 1));
  auto size = Base64Decode(text, bytes);
  if (!size) return base::Err("error decoding from json: " + size.error());
  return Value::Bytes({bytes, *size});
}

FromTree::Result FromTree::Quantity(const Value& tree) {
  const std::string_view text = tree.is(Tag::kString) ? tree.string() : TextOf(tree);
  auto canonical = CanonicalQuantity(text, arena_);
  if (!canonical) return base::Err(std::string(canonical.error()));
  return Value::String(*canonical);
}

FromTree::Result FromTree::Timely(const Value& tree, Kind kind) {
  if (!tree.is(Tag::kString)) return base::Err(CannotUnmarshal(tree, "string"));
  if (kind == Kind::kDuration) {
    auto nanos = TRY(ParseDuration(tree.string()));
    return Value::Int(nanos);
  }
  const bool micro = kind == Kind::kMicroTime;
  auto instant = TRY(ParseTime(tree.string(), micro ? kMicroTimeLayout : kTimeLayout));
  if (instant.seconds == kZeroTimeSeconds && instant.nanos == 0) return Value();
  return Value::Int(micro ? instant.seconds * 1'000'000 + instant.nanos / 1'000 : instant.seconds);
}

}  // namespace keelson::api

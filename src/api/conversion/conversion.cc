#include "api/conversion/conversion.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/conversion/mapping.h"
#include "api/types/custom_type.h"

namespace keelson::api {
namespace {

struct Direction {
  const Mapping* mapping = nullptr;
  bool forward = true;  // from a to b
};

Direction FindMapping(const TypeDesc& from, const TypeDesc& to) {
  using Types = std::pair<const TypeDesc*, const TypeDesc*>;
  static const std::map<Types, Direction> all = [] {
    std::map<Types, Direction> made;
    for (const auto mappings :
         {ApiExtensionsMappings(), AutoscalingMappings(), EventMappings(), ResourceMappings()}) {
      for (const Mapping& m : mappings) {
        made[{m.a, m.b}] = {&m, true};
        made[{m.b, m.a}] = {&m, false};
      }
    }
    return made;
  }();
  const auto found = all.find({&from, &to});
  return found == all.end() ? Direction() : found->second;
}

// The first step of a path, which loses it.
std::string_view TakeStep(std::string_view& path) {
  const std::string_view step = path.substr(0, path.find('.'));
  path.remove_prefix(std::min(path.size(), step.size() + 1));
  return step;
}

// The type of the field at the end of `path`.
const TypeDesc& TypeAt(const TypeDesc& type, std::string_view path) {
  const TypeDesc* at = &type;
  while (!path.empty()) at = at->FindMember(TakeStep(path)).field->type;
  return *at;
}

// Fields that have one name in both types, unless the mapping speaks of them.
void CopyByName(const StructNode& from, StructNode& to, const Direction& direction, Arena& arena) {
  const auto mapped = [&](std::string_view name) {
    if (!direction.mapping) return false;
    const auto side = direction.forward ? &FieldPair::a : &FieldPair::b;
    return std::ranges::any_of(direction.mapping->fields, [&](const FieldPair& pair) {
      std::string_view path = pair.*side;
      return TakeStep(path) == name;
    });
  };
  for (const FieldDesc& field : from.type->fields) {
    const Value& value = from.slot(field.ordinal);
    if (value.absent() || field.has(FieldDesc::kTypeMeta) || mapped(field.name)) continue;
    const auto same = std::ranges::find_if(to.type->fields, [&](const FieldDesc& f) {
      return field.has(FieldDesc::kInline) ? f.has(FieldDesc::kInline) : f.name == field.name;
    });
    if (same == to.type->fields.end() || same->type->kind != field.type->kind) continue;
    to.slot(same->ordinal) = ConvertValue(value, *field.type, *same->type, arena);
  }
}

}  // namespace

Value ReadPath(const StructNode& node, std::string_view path) {
  const StructNode* at = &node;
  for (;;) {
    const MemberRef member = at->type->FindMember(TakeStep(path));
    const Value& value = at->slot(member.field->ordinal);
    if (path.empty()) return value;
    if (!value.node()) return {};
    at = value.node();
  }
}

Value& MutablePath(StructNode& node, std::string_view path, Arena& arena) {
  StructNode* at = &node;
  for (;;) {
    const MemberRef member = at->type->FindMember(TakeStep(path));
    Value& value = at->slot(member.field->ordinal);
    if (path.empty()) return value;
    if (!value.node()) value = Value::Of(StructNode::New(*member.field->type, arena));
    at = value.node();
  }
}

Value ConvertValue(const Value& from, const TypeDesc& from_type, const TypeDesc& type, Arena& arena) {
  if (&from_type == &type) return from;
  if (from.node()) return Value::Of(ConvertStruct(*from.node(), type, arena));
  if (from.list() && from_type.element != type.element) {
    ListNode* list = ListNode::New(type.element, arena);
    for (const Value& item : from.list()->items())
      list->Append(ConvertValue(item, *from_type.element, *type.element, arena), arena);
    return Value::Of(list);
  }
  if (from.map() && from_type.element != type.element) {
    MapNode* map = MapNode::New(type.element, arena);
    for (const MapNode::Entry& entry : from.map()->entries())
      map->Set(entry.key, ConvertValue(entry.value, *from_type.element, *type.element, arena), arena);
    return Value::Of(map);
  }
  return from;
}

StructNode* ConvertStruct(const StructNode& from, const TypeDesc& type, Arena& arena) {
  StructNode* to = StructNode::New(type, arena);
  const Direction direction = FindMapping(*from.type, type);
  CopyByName(from, *to, direction, arena);
  if (!direction.mapping) return to;
  for (const FieldPair& pair : direction.mapping->fields) {
    const std::string_view source = direction.forward ? pair.a : pair.b;
    const std::string_view target = direction.forward ? pair.b : pair.a;
    const Value value = ReadPath(from, source);
    if (value.absent()) continue;
    MutablePath(*to, target, arena) =
        ConvertValue(value, TypeAt(*from.type, source), TypeAt(type, target), arena);
  }
  if (const AfterCopy after = direction.forward ? direction.mapping->to_b : direction.mapping->to_a)
    after(from, *to, arena);
  return to;
}

namespace {

std::string ApiVersion(GroupVersion version) {
  std::string text(version.group);
  if (!text.empty()) text += '/';
  return text.append(version.version);
}

// Versions of a custom kind differ in their names and in what their schemas allow.
Doc ConvertCustom(Doc doc, const TypeDesc& type, GroupVersion version) {
  StructNode& root = *doc.root();
  root.slot(1) = Value::String(doc.arena().CopyString(ApiVersion(version)));
  if (root.type == &type) return doc;
  const bool same = CustomOf(*root.type)->SameContent(*CustomOf(type));
  root.type = &type;  // all of them have the same fields
  if (same) return doc;
  // What is embedded was in order when it came. Defaults are those of the stored version.
  (void)CustomOf(type)->Coerce(root, doc.arena(), nullptr);
  return doc;
}

}  // namespace

base::Task<base::Result<Doc, ConversionError>> ConvertAsking(const CustomConverter& converter, Doc doc,
                                                             const ResourceDesc& resource,
                                                             base::Occupancy* occupancy) {
  std::vector<Doc> asked;
  asked.push_back(std::move(doc));
  auto made = CO_TRY(co_await converter.Convert(
      std::move(asked), ApiVersion({resource.group, resource.version}), false, occupancy));
  co_return std::move(made.front());
}

Doc Convert(Doc doc, const TypeDesc& type, GroupVersion version, std::string_view kind) {
  if (IsOpen(type)) return ConvertCustom(std::move(doc), type, version);
  if (&doc.type() == &type) return doc;
  StructNode* const from = doc.root();
  Arena arena = std::move(doc.arena());
  StructNode* const to = ConvertStruct(*from, type, arena);
  to->slot(0) = Value::String(arena.CopyString(kind));
  to->slot(1) = Value::String(arena.CopyString(ApiVersion(version)));
  return Doc(std::move(arena), to);
}

}  // namespace keelson::api

#include "api/defaulting/core/resource_list.h"

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/map_builder.h"
#include "api/codec/quantity.h"

namespace keelson::api::core {
namespace {

// Only these canonical texts can stand for less than a milli, so nothing else is parsed.
bool MayBeFinerThanMilli(std::string_view canonical) {
  return canonical.ends_with('n') || canonical.ends_with('u') || canonical.find("e-") != canonical.npos;
}

std::string RoundedUp(std::string_view canonical) {
  const auto quantity = Quantity::Parse(canonical);
  // Zero means that int64 cannot hold the amount in milli; such an amount stays as it is.
  const int64_t milli = quantity ? quantity->MilliValue() : 0;
  if (milli == 0) return std::string(canonical);
  const bool exponent = quantity->format() == Quantity::Format::kDecimalExponent;
  return Quantity::Parse(std::to_string(milli) + (exponent ? "e-3" : "m"))->ToString();
}

}  // namespace

void RoundUpResourceLists(StructNode* node, Arena& arena) {
  if (!node) return;
  for (const FieldDesc& field : node->type->fields) {
    if (field.type->kind != Kind::kMap || field.type->element->kind != Kind::kQuantity) continue;
    MapNode* list = node->slot(field.ordinal).map();
    if (!list) continue;
    for (MapNode::Entry& entry : list->entries()) {
      if (!MayBeFinerThanMilli(entry.value.string())) continue;
      entry.value = Value::String(arena.CopyString(RoundedUp(entry.value.string())));
    }
  }
}

void CopyMissing(MapView from, MapNode& to, Arena& arena) {
  std::vector<MapNode::Entry> missing;
  for (const MapNode::Entry& entry : from)
    if (!to.Find(entry.key)) missing.push_back(entry);
  MapBuilder builder(to, arena);
  for (const MapNode::Entry& entry : missing) builder.Add(entry.key, entry.value);
  builder.Finish();
}

}  // namespace keelson::api::core

#include "extensions/schema/defaults.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;

// Null where none may be.
bool IsStrayNull(const Value& value, const Schema* s) {
  return value.is(Value::Tag::kNull) && s && !s->nullable;
}

Value DefaultOf(const Schema& s, api::Arena& arena) {
  return s.default_value.absent() ? Value::Null() : api::DeepCopy(s.default_value, arena);
}

void FillIn(Value& value, const Schema* s, api::Arena& arena) {
  if (!s || !s->has_defaults) return;
  if (value.map()) return FillDefaults(*value.map(), *s, arena);
  if (!value.list()) return;
  for (Value& item : value.list()->items()) {
    if (IsStrayNull(item, s->items)) item = DefaultOf(*s->items, arena);
    FillIn(item, s->items, arena);
  }
}

}  // namespace

void FillDefaults(MapNode& content, const Schema& root, api::Arena& arena) {
  if (!root.has_defaults) return;
  for (const Property& p : root.properties) {
    if (p.schema->default_value.absent()) continue;
    const Value* given = content.Find(p.name);
    if (!given || IsStrayNull(*given, p.schema)) content.Set(p.name, DefaultOf(*p.schema, arena), arena);
  }
  for (MapNode::Entry& entry : content.entries()) {
    const Schema* property = root.Find(entry.key);
    if (!property && root.additional && IsStrayNull(entry.value, root.additional))
      entry.value = DefaultOf(*root.additional, arena);
    FillIn(entry.value, property ? property : root.additional, arena);
  }
}

}  // namespace keelson::extensions

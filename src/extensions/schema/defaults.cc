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

// Goes over an object and fills in what it lacks; without an arena it only finds out whether it lacks
// anything.
class Defaults {
 public:
  explicit Defaults(api::Arena* arena) : arena_(arena) {}

  // False: something is missing, and stays so.
  bool Members(MapNode& map, const Schema& s) {
    if (!s.has_defaults) return true;
    for (const Property& p : s.properties) {
      if (p.schema->default_value.absent()) continue;
      const Value* given = map.Find(p.name);
      if (given && !IsStrayNull(*given, p.schema)) continue;
      if (!arena_) return false;
      map.Set(p.name, DefaultOf(*p.schema, *arena_), *arena_);
    }
    for (MapNode::Entry& entry : map.entries()) {
      const Schema* property = s.Find(entry.key);
      const bool other = !property && s.additional;
      if (other && IsStrayNull(entry.value, s.additional) && !Replace(entry.value, *s.additional))
        return false;
      if (!Below(entry.value, property ? property : s.additional)) return false;
    }
    return true;
  }

 private:
  bool Below(Value& value, const Schema* s) {
    if (!s || !s->has_defaults) return true;
    if (value.map()) return Members(*value.map(), *s);
    if (!value.list()) return true;
    for (Value& item : value.list()->items()) {
      if (IsStrayNull(item, s->items) && !Replace(item, *s->items)) return false;
      if (!Below(item, s->items)) return false;
    }
    return true;
  }

  bool Replace(Value& value, const Schema& s) {
    if (!arena_) return false;
    value = DefaultOf(s, *arena_);
    return true;
  }

  api::Arena* const arena_;
};

}  // namespace

void FillDefaults(MapNode& content, const Schema& root, api::Arena& arena) {
  Defaults(&arena).Members(content, root);
}

bool HasDefaults(const MapNode& content, const Schema& root) {
  return Defaults(nullptr).Members(const_cast<MapNode&>(content), root);
}

}  // namespace keelson::extensions

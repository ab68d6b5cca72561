#include "extensions/schema/unchanged.h"

#include "api/types/builtin_types.h"
#include "extensions/schema/keyed_items.h"

namespace keelson::extensions {

bool Unchanged(const api::Value& now, const api::Value& was, const Schema& s) {
  using Tag = api::Value::Tag;
  if (now.is(Tag::kNull) || was.is(Tag::kNull)) return now.tag() == was.tag();
  if (now.map() && was.map()) {
    if (now.map()->size != was.map()->size) return false;
    for (const auto& entry : now.map()->entries()) {
      const api::Value* const old = was.map()->Find(entry.key);
      const Schema* const member = s.Member(entry.key);
      if (!old || !member || !Unchanged(entry.value, *old, *member)) return false;
    }
    return true;
  }
  if (now.list() && was.list()) {
    if (now.list()->size != was.list()->size) return false;
    if (s.list_type != api::ListType::kMap || !s.items) return api::Equal(now, was, api::kAnyType);
    const KeyedItems old(&was, s);
    for (const api::Value& item : now.list()->items()) {
      const api::Value* const found = old.Find(item);
      if (!found || !Unchanged(item, *found, *s.items)) return false;
    }
    return true;
  }
  return now.tag() == was.tag() && api::Equal(now, was, api::kAnyType);
}

}  // namespace keelson::extensions

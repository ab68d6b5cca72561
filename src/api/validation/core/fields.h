// Comparing one field of two objects of the same type.
#pragma once

#include <algorithm>
#include <string_view>

#include "api/types/view.h"

namespace keelson::api::core {

// Whether the field `name` (a JSON name) is the same in both. Either may be null, which
// reads as having no fields. Requires: the type has such a field.
inline bool SameField(const StructView& a, const StructView& b, std::string_view name) {
  if (!a || !b) return !a && !b;
  const auto field = std::ranges::find(a.node()->type->fields, name, &FieldDesc::name);
  return Equal(a.node()->slot(field->ordinal), b.node()->slot(field->ordinal), *field->type);
}

}  // namespace keelson::api::core

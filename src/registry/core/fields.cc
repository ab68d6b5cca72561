#include "registry/core/fields.h"

#include <algorithm>

namespace keelson::registry::core {
namespace {

size_t OrdinalOf(const api::TypeDesc& type, std::string_view name) {
  return std::ranges::find(type.fields, name, &api::FieldDesc::name)->ordinal;
}

}  // namespace

void KeepField(api::Doc& now, const api::Doc& was, std::string_view name) {
  const size_t ordinal = OrdinalOf(now.type(), name);
  now.root()->slot(ordinal) = api::DeepCopy(was.root()->slot(ordinal), now.arena());
}

void ClearField(api::Doc& doc, std::string_view name) { doc.root()->slot(OrdinalOf(doc.type(), name)) = {}; }

}  // namespace keelson::registry::core

#include "registry/core/fields.h"

#include <algorithm>

#include "api/meta/object_meta.h"

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

void KeepMetadataForStatus(api::Doc& now, const api::Doc& was) {
  static constexpr std::string_view kKept[] = {"deletionTimestamp", "generation", "selfLink",       "labels",
                                               "annotations",       "finalizers", "ownerReferences"};
  api::StructNode& metadata = *api::MutableMetadataOf(now).node();
  const api::StructNode* const old = api::MetadataOf(was).node();
  for (const api::FieldDesc& field : metadata.type->fields)
    if (std::ranges::find(kKept, field.name) != std::end(kKept))
      metadata.slot(field.ordinal) = api::DeepCopy(old->slot(field.ordinal), now.arena());
}

void ClearField(api::Doc& doc, std::string_view name) { doc.root()->slot(OrdinalOf(doc.type(), name)) = {}; }

}  // namespace keelson::registry::core

#include "registry/core/generation.h"

#include <algorithm>

#include "api/meta/object_meta.h"

namespace keelson::registry::core {

void StartGeneration(api::Doc& doc) { api::MutableMetadataOf(doc).set_generation(1); }

void CountGeneration(api::Doc& now, const api::Doc& was, std::string_view name) {
  const auto field = std::ranges::find(now.type().fields, name, &api::FieldDesc::name);
  if (api::Equal(now.root()->slot(field->ordinal), was.root()->slot(field->ordinal), *field->type)) return;
  api::MutableMetadataOf(now).set_generation(api::MetadataOf(was).generation() + 1);
}

}  // namespace keelson::registry::core

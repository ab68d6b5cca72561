#include "registry/admissionregistration/versioned.h"

#include <algorithm>

#include "api/meta/object_meta.h"

namespace keelson::registry::admissionregistration {

void StartGeneration(api::Doc& doc) { api::MutableMetadataOf(doc).set_generation(1); }

void CountGeneration(api::Doc& now, const api::Doc& was, std::string_view field) {
  const auto desc = std::ranges::find(now.type().fields, field, &api::FieldDesc::name);
  if (api::Equal(now.root()->slot(desc->ordinal), was.root()->slot(desc->ordinal), *desc->type)) return;
  api::MutableMetadataOf(now).set_generation(api::MetadataOf(was).generation() + 1);
}

std::vector<std::string> ReservedNameWarnings(const api::Doc& doc) {
  if (!api::MetadataOf(doc).name().ends_with(".static.k8s.io")) return {};
  return {
      "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
      "configurations and cannot be managed via the API"};
}

}  // namespace keelson::registry::admissionregistration

#include "registry/admissionregistration/reserved_names.h"

#include "api/meta/object_meta.h"

namespace keelson::registry::admissionregistration {

std::vector<std::string> ReservedNameWarnings(const api::Doc& doc) {
  if (!api::MetadataOf(doc).name().ends_with(".static.k8s.io")) return {};
  return {
      "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
      "configurations and cannot be managed via the API"};
}

}  // namespace keelson::registry::admissionregistration

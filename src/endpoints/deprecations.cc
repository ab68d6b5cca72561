#include "endpoints/deprecations.h"

namespace keelson::endpoints {
namespace {

struct Deprecation {
  api::GroupVersion version;
  std::string_view kind, warning;
};
constexpr Deprecation kDeprecations[] = {
    {{"", "v1"}, "ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"},
    {{"", "v1"}, "Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
};

}  // namespace

std::string_view DeprecationWarning(const api::ResourceDesc& resource) {
  for (const Deprecation& one : kDeprecations)
    if (one.kind == resource.kind && one.version == api::GroupVersion{resource.group, resource.version})
      return one.warning;
  return {};
}

}  // namespace keelson::endpoints

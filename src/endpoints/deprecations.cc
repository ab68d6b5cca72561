#include "endpoints/deprecations.h"

#include <algorithm>
#include <string>
#include <vector>

namespace keelson::endpoints {
namespace {

struct Deprecation {
  api::GroupVersion version;
  std::string_view kind;
  std::string_view since;         // the release that deprecated it
  std::string_view until = {};    // the release that does not serve it any more; empty: not decided
  std::string_view instead = {};  // what to use

  std::string Warning() const {
    std::string text(version.group);
    if (!text.empty()) text += '/';
    text.append(version.version)
        .append(" ")
        .append(kind)
        .append(" is deprecated in v")
        .append(since)
        .append("+");
    if (!until.empty()) text.append(", unavailable in v").append(until).append("+");
    if (!instead.empty()) text.append("; use ").append(instead);
    return text;
  }
};
constexpr Deprecation kDeprecations[] = {
    {{"", "v1"}, "ComponentStatus", "1.19"},
    {{"", "v1"}, "Endpoints", "1.33", "", "discovery.k8s.io/v1 EndpointSlice"},
    {{"admissionregistration.k8s.io", "v1alpha1"}, "MutatingAdmissionPolicy", "1.35", "1.38"},
    {{"admissionregistration.k8s.io", "v1alpha1"}, "MutatingAdmissionPolicyBinding", "1.35", "1.38"},
    {{"certificates.k8s.io", "v1alpha1"}, "ClusterTrustBundle", "1.34", "1.37"},
    {{"coordination.k8s.io", "v1alpha2"}, "LeaseCandidate", "1.35", "1.38"},
    {{"coordination.k8s.io", "v1beta1"}, "LeaseCandidate", "1.36", "1.39"},
    {{"networking.k8s.io", "v1beta1"}, "IPAddress", "1.34", "1.37"},
    {{"networking.k8s.io", "v1beta1"}, "ServiceCIDR", "1.34", "1.37"},
    {{"resource.k8s.io", "v1alpha3"}, "DeviceTaintRule", "1.36", "1.39"},
    {{"resource.k8s.io", "v1beta1"}, "DeviceClass", "1.35", "1.38"},
    {{"resource.k8s.io", "v1beta1"}, "ResourceClaim", "1.35", "1.38"},
    {{"resource.k8s.io", "v1beta1"}, "ResourceClaimTemplate", "1.35", "1.38"},
    {{"resource.k8s.io", "v1beta1"}, "ResourceSlice", "1.35", "1.38"},
    {{"resource.k8s.io", "v1beta2"}, "DeviceClass", "1.36", "1.39"},
    {{"resource.k8s.io", "v1beta2"}, "ResourceClaim", "1.36", "1.39"},
    {{"resource.k8s.io", "v1beta2"}, "ResourceClaimTemplate", "1.36", "1.39"},
    {{"resource.k8s.io", "v1beta2"}, "ResourceSlice", "1.36", "1.39"},
    {{"storage.k8s.io", "v1beta1"},
     "VolumeAttributesClass",
     "1.34",
     "1.37",
     "storage.k8s.io/v1 VolumeAttributesClass"},
};

const Deprecation* Find(const api::ResourceDesc& resource) {
  const auto found = std::ranges::find_if(kDeprecations, [&](const Deprecation& one) {
    return one.kind == resource.kind && one.version == api::GroupVersion{resource.group, resource.version};
  });
  return found == std::end(kDeprecations) ? nullptr : &*found;
}

}  // namespace

std::string_view DeprecationWarning(const api::ResourceDesc& resource) {
  static const std::vector<std::string> warnings = [] {
    std::vector<std::string> made;
    for (const Deprecation& one : kDeprecations) made.push_back(one.Warning());
    return made;
  }();
  const Deprecation* const found = Find(resource);
  return found ? std::string_view(warnings[static_cast<size_t>(found - kDeprecations)]) : std::string_view();
}

std::string_view RemovedRelease(const api::ResourceDesc& resource) {
  const Deprecation* const found = Find(resource);
  return found ? found->until : std::string_view();
}

}  // namespace keelson::endpoints

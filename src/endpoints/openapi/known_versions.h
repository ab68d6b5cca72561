// The groups and versions that v1.36 knows objects of, served or not: requests in any of them may have
// options.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/types/resource_desc.h"

namespace keelson::endpoints::openapi {

inline constexpr api::GroupVersion kKnownVersions[] = {
    {"", "v1"},
    {"admission.k8s.io", "v1"},
    {"admission.k8s.io", "v1beta1"},
    {"admissionregistration.k8s.io", "v1"},
    {"admissionregistration.k8s.io", "v1alpha1"},
    {"admissionregistration.k8s.io", "v1beta1"},
    {"apiextensions.k8s.io", "v1"},
    {"apiextensions.k8s.io", "v1beta1"},
    {"apiregistration.k8s.io", "v1"},
    {"apiregistration.k8s.io", "v1beta1"},
    {"apps", "v1"},
    {"apps", "v1beta1"},
    {"apps", "v1beta2"},
    {"authentication.k8s.io", "v1"},
    {"authentication.k8s.io", "v1alpha1"},
    {"authentication.k8s.io", "v1beta1"},
    {"authorization.k8s.io", "v1"},
    {"authorization.k8s.io", "v1beta1"},
    {"autoscaling", "v1"},
    {"autoscaling", "v2"},
    {"batch", "v1"},
    {"batch", "v1beta1"},
    {"certificates.k8s.io", "v1"},
    {"certificates.k8s.io", "v1alpha1"},
    {"certificates.k8s.io", "v1beta1"},
    {"coordination.k8s.io", "v1"},
    {"coordination.k8s.io", "v1alpha2"},
    {"coordination.k8s.io", "v1beta1"},
    {"discovery.k8s.io", "v1"},
    {"discovery.k8s.io", "v1beta1"},
    {"events.k8s.io", "v1"},
    {"events.k8s.io", "v1beta1"},
    {"extensions", "v1beta1"},
    {"flowcontrol.apiserver.k8s.io", "v1"},
    {"flowcontrol.apiserver.k8s.io", "v1beta1"},
    {"flowcontrol.apiserver.k8s.io", "v1beta2"},
    {"flowcontrol.apiserver.k8s.io", "v1beta3"},
    {"imagepolicy.k8s.io", "v1alpha1"},
    {"internal.apiserver.k8s.io", "v1alpha1"},
    {"networking.k8s.io", "v1"},
    {"networking.k8s.io", "v1beta1"},
    {"node.k8s.io", "v1"},
    {"node.k8s.io", "v1alpha1"},
    {"node.k8s.io", "v1beta1"},
    {"policy", "v1"},
    {"policy", "v1beta1"},
    {"rbac.authorization.k8s.io", "v1"},
    {"rbac.authorization.k8s.io", "v1alpha1"},
    {"rbac.authorization.k8s.io", "v1beta1"},
    {"resource.k8s.io", "v1"},
    {"resource.k8s.io", "v1alpha3"},
    {"resource.k8s.io", "v1beta1"},
    {"resource.k8s.io", "v1beta2"},
    {"scheduling.k8s.io", "v1"},
    {"scheduling.k8s.io", "v1alpha2"},
    {"scheduling.k8s.io", "v1beta1"},
    {"storage.k8s.io", "v1"},
    {"storage.k8s.io", "v1alpha1"},
    {"storage.k8s.io", "v1beta1"},
    {"storagemigration.k8s.io", "v1beta1"},
};

// Clients know those whose types they have, which is what documents of custom resources speak of.
inline bool ClientsKnow(const api::GroupVersion& version) {
  constexpr std::string_view kOfServers[] = {"admission.k8s.io", "apiextensions.k8s.io",
                                             "apiregistration.k8s.io", "imagepolicy.k8s.io"};
  return std::ranges::find(kOfServers, version.group) == std::end(kOfServers);
}

}  // namespace keelson::endpoints::openapi

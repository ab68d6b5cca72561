// Resources that several plugins look at.
#pragma once

#include <string_view>

#include "api/types/resource_desc.h"

namespace keelson::admission {

constexpr api::GroupResource kPods{"", "pods"}, kClaims{"", "persistentvolumeclaims"};
constexpr api::GroupResource kPodGroups{"scheduling.k8s.io", "podgroups"},
    kWorkloads{"scheduling.k8s.io", "workloads"};
constexpr api::GroupResource kSigningRequests{"certificates.k8s.io", "certificatesigningrequests"};

// The class of a claim, as it was said before there was a field for it.
constexpr std::string_view kClaimClassAnnotation = "volume.beta.kubernetes.io/storage-class";

}  // namespace keelson::admission

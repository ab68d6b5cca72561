// The strategies of certificates.k8s.io, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::certificates {

const Strategy& ClusterTrustBundles();
const Strategy& PodCertificateRequests();
const Strategy& PodCertificateRequestStatus();
const Strategy& SigningRequests();
const Strategy& SigningRequestStatus();
const Strategy& SigningRequestApproval();

}  // namespace keelson::registry::certificates

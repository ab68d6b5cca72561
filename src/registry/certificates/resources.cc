#include "registry/certificates/resources.h"

#include "registry/certificates/pod_certificate_signing.h"
#include "registry/certificates/strategies.h"

namespace keelson::registry::certificates {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "certificatesigningrequests",
       .strategy = SigningRequests,
       .subresources = {{"approval", SigningRequestApproval}, {"status", SigningRequestStatus}}},
      {.plural = "clustertrustbundles", .strategy = ClusterTrustBundles, .version = "v1beta1"},
      {.plural = "clustertrustbundles", .version = "v1alpha1"},
      {.plural = "podcertificaterequests",
       .strategy = PodCertificateRequests,
       .subresources = {{.name = "status",
                         .strategy = PodCertificateRequestStatus,
                         .make_check = MakePodCertificateSigningCheck}},
       .version = "v1beta1"},
  };
  return {"certificates.k8s.io", rows};
}

}  // namespace keelson::registry::certificates

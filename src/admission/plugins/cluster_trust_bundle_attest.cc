#include "admission/plugins/cluster_trust_bundle_attest.h"

#include "admission/plugins/resources.h"
#include "api/generated/certificates_v1beta1.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"
#include "auth/signer_permission.h"

namespace keelson::admission {

Concern ClusterTrustBundleAttest::ConcernWith(const api::ResourceDesc& resource,
                                              std::string_view subresource) const {
  return {.validates =
              subresource.empty() && Is(resource, "", {"certificates.k8s.io", "clustertrustbundles"})};
}

base::Task<Verdict> ClusterTrustBundleAttest::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate && request.operation != Operation::kUpdate) co_return Verdict();
  const std::string_view signer =
      api::certificates_v1beta1::ClusterTrustBundleView(*request.object).spec().signer_name();
  if (signer.empty()) co_return Verdict();
  if (request.operation == Operation::kUpdate &&
      api::DifferForCollectionOnly(*request.object, *request.old_object))
    co_return Verdict();
  if (co_await auth::MayActForSigner(authorizer_, request.user, "attest", signer)) co_return Verdict();
  co_return Refuse(request, "user not permitted to attest for signerName " + api::Quoted(signer));
}

}  // namespace keelson::admission

#include "admission/plugins/certificate_approval.h"

#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/certificates_v1.h"
#include "api/validation/quote.h"
#include "auth/signer_permission.h"

namespace keelson::admission {

Concern CertificateApproval::ConcernWith(const api::ResourceDesc& resource,
                                         std::string_view subresource) const {
  return {.validates = subresource == "approval" && Is(resource, "", kSigningRequests)};
}

base::Task<Verdict> CertificateApproval::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate) co_return Verdict();
  // The signer that was asked for counts, not one that the approval names.
  const api::certificates_v1::CertificateSigningRequestView was(*request.old_object);
  const std::string_view signer = was.spec().signer_name();
  if (co_await auth::MayActForSigner(authorizer_, request.user, "approve", signer)) co_return Verdict();
  co_return Refuse(request, "user not permitted to approve requests with signerName " + api::Quoted(signer));
}

}  // namespace keelson::admission

#include "admission/plugins/certificate_signing.h"

#include <string>

#include "admission/plugins/resources.h"
#include "admission/plugins/same_list.h"
#include "api/generated/certificates_v1.h"
#include "api/validation/quote.h"
#include "auth/signer_permission.h"

namespace keelson::admission {

Concern CertificateSigning::ConcernWith(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  return {.validates = subresource == "status" && Is(resource, "", kSigningRequests)};
}

base::Task<Verdict> CertificateSigning::Validate(Attributes request) const {
  if (request.operation != Operation::kUpdate) co_return Verdict();
  const api::certificates_v1::CertificateSigningRequestView now(*request.object), was(*request.old_object);
  if (now.status().certificate() == was.status().certificate() &&
      SameList(now.status().conditions(), was.status().conditions()))
    co_return Verdict();
  const std::string_view signer = was.spec().signer_name();
  if (co_await auth::MayActForSigner(authorizer_, request.user, "sign", signer)) co_return Verdict();
  co_return Refuse(request, "user not permitted to sign requests with signerName " + api::Quoted(signer));
}

}  // namespace keelson::admission

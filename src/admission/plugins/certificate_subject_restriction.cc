#include "admission/plugins/certificate_subject_restriction.h"

#include <algorithm>
#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/certificates_v1.h"
#include "auth/certificate_text.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kApiClientSigner = "kubernetes.io/kube-apiserver-client";

}  // namespace

Concern CertificateSubjectRestriction::ConcernWith(const api::ResourceDesc& resource,
                                                   std::string_view subresource) const {
  return {.validates = Is(resource, subresource, kSigningRequests)};
}

base::Task<Verdict> CertificateSubjectRestriction::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const auto spec = api::certificates_v1::CertificateSigningRequestView(*request.object).spec();
  if (spec.signer_name() != kApiClientSigner) co_return Verdict();
  const auto subject = auth::SubjectOfCertificateRequest(spec.request());
  if (!subject) co_return Refuse(request, "failed to parse CSR: " + subject.error());
  if (std::ranges::find(subject->organizations, auth::kMastersGroup) == subject->organizations.end())
    co_return Verdict();
  co_return Refuse(request, "use of " + std::string(kApiClientSigner) +
                                " signer with system:masters group is not allowed");
}

}  // namespace keelson::admission

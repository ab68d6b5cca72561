#include "api/generated/certificates_v1beta1.h"
#include "api/meta/object_meta.h"
#include "api/validation/certificates/pod_certificate_request.h"
#include "api/validation/core/checks.h"
#include "api/validation/quote.h"
#include "auth/pod_certificate.h"
#include "auth/signer_permission.h"
#include "registry/certificates/pod_certificate_signing.h"
#include "registry/certificates/strategies.h"
#include "registry/core/spec_and_status_strategy.h"

namespace keelson::registry::certificates {
namespace {

using api::certificates_v1beta1::PodCertificateRequestView;
using api::field::ErrorList;

// PodCertificateRequest: what is asked never changes, and the signer answers once, by way of the status.
class PodCertificateRequestStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    const PodCertificateRequestView request(doc);
    const auto spec = request.spec();
    return api::certificates::ValidatePodCertificateRequest(request, api::certificates::HasKeyToCheck(spec)
                                                                         ? auth::FaultOfRequestedKey(spec)
                                                                         : api::certificates::KeyFault());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::certificates::ValidatePodCertificateRequestUpdate(PodCertificateRequestView(now),
                                                                  PodCertificateRequestView(was));
  }
};

class PodCertificateRequestStatusStrategy final : public core::StatusStrategy<PodCertificateRequestStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now,
                           const api::Doc& was) const override {
    const PodCertificateRequestView request(now), old(was);
    const std::string_view chain = request.status().certificate_chain();
    return api::certificates::ValidatePodCertificateRequestStatus(
        request, old,
        chain.size() > api::certificates::kMaxCertificateChainSize ? api::certificates::IssuedChain()
                                                                   : auth::ReadIssuedChain(chain, old.spec()),
        api::NowSeconds(*context.clock));
  }
};

class SigningCheck final : public WriteCheck {
 public:
  explicit SigningCheck(auth::Authorizer* authorizer) : authorizer_(authorizer) {}

  base::Task<ErrorList> AfterValidation(const admission::Attributes& request) const override {
    ErrorList errors;
    const PodCertificateRequestView now(*request.object), was(*request.old_object);
    if (api::core::SameStruct(now.status(), was.status())) co_return errors;
    const std::string_view signer = was.spec().signer_name();
    if (co_await auth::MayActForSigner(authorizer_, request.user, "sign", signer)) co_return errors;
    const api::field::Path spec("spec");
    errors.Add(api::field::Forbidden(spec.Child("signerName"),
                                     "User " + api::Quoted(request.user ? request.user->name : "") +
                                         " is not permitted to \"sign\" for signer " + api::Quoted(signer)));
    co_return errors;
  }

 private:
  auth::Authorizer* const authorizer_;
};

}  // namespace

const Strategy& PodCertificateRequests() {
  static const PodCertificateRequestStrategy strategy;
  return strategy;
}

const Strategy& PodCertificateRequestStatus() {
  static const PodCertificateRequestStatusStrategy strategy;
  return strategy;
}

std::unique_ptr<WriteCheck> MakePodCertificateSigningCheck(const Dependencies& dependencies) {
  return std::make_unique<SigningCheck>(dependencies.authorizer);
}

}  // namespace keelson::registry::certificates

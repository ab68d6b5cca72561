#include "api/defaulting/certificates/defaults.h"

#include "api/generated/certificates_v1beta1.h"

namespace keelson::api::certificates {
namespace {

// Also where there is no spec.
void SetPodCertificateRequestDefaults(Doc& doc) {
  certificates_v1beta1::PodCertificateRequestEditor request(doc);
  constexpr int32_t kDaySeconds = 86400;
  if (!request.spec().has_max_expiration_seconds())
    request.mutable_spec().set_max_expiration_seconds(kDaySeconds);
}

constexpr DefaultsEntry kDefaults[] = {
    {&certificates_v1beta1::kPodCertificateRequestType, SetPodCertificateRequestDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::certificates

// What cryptography tells of pod certificate requests and of the certificates issued for them.
#pragma once

#include <string_view>

#include "api/validation/certificates/pod_certificate_request.h"

namespace keelson::auth {

// Of the key that `spec` asks a certificate for, in a request or with a proof of possession. Requires:
// api::certificates::HasKeyToCheck(spec).
api::certificates::KeyFault FaultOfRequestedKey(
    api::certificates_v1beta1::PodCertificateRequestSpecView spec);

// Of `pem`, which is to be issued for the key of `spec`.
api::certificates::IssuedChain ReadIssuedChain(std::string_view pem,
                                               api::certificates_v1beta1::PodCertificateRequestSpecView spec);

}  // namespace keelson::auth

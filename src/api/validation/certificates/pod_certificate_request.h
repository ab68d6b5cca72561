// Rules of pod certificate requests.
//
// Keys and certificates are parsed in auth/pod_certificate.h, which fills the structs here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/generated/certificates_v1beta1.h"
#include "api/validation/field.h"

namespace keelson::api::certificates {

constexpr size_t kMaxRequestedKeySize = 10 * 1024;  // of each field that holds a key, a proof or a request
constexpr size_t kMaxCertificateChainSize = 100 * 1024;

// KeyFault: why a key in a certificate request is refused.
struct KeyFault {
  enum class Kind : uint8_t { kNone, kUnreadable, kCurve, kModulus, kType, kSignature };
  Kind kind = Kind::kNone;
  std::string shown = {};  // of a curve or a modulus: what it is, "curve P-224"
};

// A chain of certificates as far as the rules look at it.
struct IssuedChain {
  enum class Fault : uint8_t { kNone, kNoCertificate, kOtherBlock, kUnreadable };
  Fault leaf = Fault::kNone;                       // of the first block; the rest is then not known
  Fault others = Fault::kNone;                     // of the first bad block behind it
  std::vector<std::string> dns_names, bad_emails;  // of the leaf
  bool is_for_key = false;                         // the leaf is for the key that was asked for
  int64_t not_before = 0, not_after = 0;           // of the leaf, Unix seconds
};

// `key`: of the request, or of the key and its proof; not looked at where sizes or fields are wrong.
field::ErrorList ValidatePodCertificateRequest(certificates_v1beta1::PodCertificateRequestView request,
                                               const KeyFault& key);
// Whether ValidatePodCertificateRequest looks at the key of such a request.
bool HasKeyToCheck(certificates_v1beta1::PodCertificateRequestSpecView spec);

field::ErrorList ValidatePodCertificateRequestUpdate(certificates_v1beta1::PodCertificateRequestView now,
                                                     certificates_v1beta1::PodCertificateRequestView was);
// `chain`: of the new status. `now_seconds`: the time of this server.
field::ErrorList ValidatePodCertificateRequestStatus(certificates_v1beta1::PodCertificateRequestView now,
                                                     certificates_v1beta1::PodCertificateRequestView was,
                                                     const IssuedChain& chain, int64_t now_seconds);

// The keys are domain-prefixed, in any case.
field::ErrorList ValidateUserAnnotations(MapView annotations, const field::Path& path);
// Signers of Kubernetes itself give certificates for a day at most.
bool IsKubernetesSigner(std::string_view signer);

}  // namespace keelson::api::certificates

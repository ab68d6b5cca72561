// Rules of certificates.k8s.io/v1.
#pragma once

#include <string>

#include "api/generated/certificates_v1.h"
#include "api/validation/field.h"

namespace keelson::api::certificates {

// What cannot be seen without cryptography; each is empty when nothing is wrong.
struct CertificateFaults {
  std::string request;      // of spec.request
  std::string certificate;  // of status.certificate; asked only when it matters
};

enum class Change : uint8_t { kObject, kStatus, kApproval };

field::ErrorList ValidateSigningRequest(certificates_v1::CertificateSigningRequestView request,
                                        const CertificateFaults& faults);
// `change` tells through which resource the update comes.
field::ErrorList ValidateSigningRequestUpdate(certificates_v1::CertificateSigningRequestView now,
                                              certificates_v1::CertificateSigningRequestView was,
                                              Change change, const CertificateFaults& faults);

// Who signs: "example.com/signer-name".
field::ErrorList ValidateSignerName(std::string_view name, const field::Path& path);

}  // namespace keelson::api::certificates

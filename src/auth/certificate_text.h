// Checks of what clients send as certificates and requests for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth {

// What is wrong with a PEM-encoded request for a certificate, its signature included; empty:
// nothing.
std::string WhyBadCertificateRequest(std::string_view pem);

// Whom a certificate is to be for: the names that say who its bearer is.
struct CertificateSubject {
  std::string common_name;  // the last one, if there are several
  std::vector<std::string> organizations;
};
// The subject of a PEM-encoded request, whose signature is not looked at; an error is fit for the client.
base::Result<CertificateSubject, std::string> SubjectOfCertificateRequest(std::string_view pem);

// What is wrong with `pem`, which may hold certificates only, and at least one; empty:
// nothing.
std::string WhyBadCertificates(std::string_view pem);

// What is wrong with `pem`, which may hold certificates of authorities only, each once, and at least one; as
// upstream words it.
std::vector<std::string> FaultsOfTrustAnchors(std::string_view pem);

}  // namespace keelson::auth

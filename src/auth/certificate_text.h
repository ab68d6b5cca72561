// Checks of what clients send as certificates and requests for them.
#pragma once

#include <string>
#include <string_view>

namespace keelson::auth {

// What is wrong with a PEM-encoded request for a certificate, its signature included; empty:
// nothing.
std::string WhyBadCertificateRequest(std::string_view pem);

// What is wrong with `pem`, which may hold certificates only, and at least one; empty:
// nothing.
std::string WhyBadCertificates(std::string_view pem);

}  // namespace keelson::auth

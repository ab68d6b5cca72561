// Certificates and requests for them, as clients send them: as PEM text, and a certificate as the TLS layer
// takes it apart. The first byte chooses: 'd' is DER, anything else is text.
#include <openssl/x509.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/certificate_text.h"
#include "base/openssl.h"
#include "net/tls/peer_certificate.h"

namespace {

void FuzzText(std::string_view pem) {
  const auto subject = keelson::auth::SubjectOfCertificateRequest(pem);
  const std::string why = keelson::auth::WhyBadCertificateRequest(pem);
  if (!subject && subject.error().empty()) std::abort();
  // A request that is right can be read.
  if (why.empty() && !subject) std::abort();
  (void)keelson::auth::WhyBadCertificates(pem);
}

void FuzzDer(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const keelson::base::openssl::X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!certificate) return;
  const auto peer = keelson::net::tls::DescribeCertificate(certificate.get());
  if (peer->der.empty() || peer->sha256.size() != 64) std::abort();
  if (ERR_peek_error() != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with('d'))
    FuzzDer(input.substr(1));
  else
    FuzzText(input);
  return 0;
}

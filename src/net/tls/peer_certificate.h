// DescribeCertificate: the names and dates in a client certificate, for the handlers of requests. Only for
// .cc files that talk to OpenSSL.
#pragma once

#include <openssl/x509.h>

#include <memory>

#include "net/http/message.h"

namespace keelson::net::tls {

std::shared_ptr<const http::PeerCertificate> DescribeCertificate(X509* x509);

}  // namespace keelson::net::tls

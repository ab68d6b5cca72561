// VerifyError: why a server's certificate is not trusted, in the words of Go's client, which operators know.
#pragma once

#include <string>

struct x509_store_ctx_st;

namespace keelson::net::tls {

// Requires: the verdict is that it is not.
std::string VerifyError(x509_store_ctx_st* verdict);

}  // namespace keelson::net::tls

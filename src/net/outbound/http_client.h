// HttpClient: http::Client over HTTP/1.1, one connection per request.
#pragma once

#include <memory>

#include "net/http/client.h"
#include "net/tls/client_context.h"

namespace keelson::net::outbound {

// `tls` is used for destinations that want it and must outlive the client.
std::unique_ptr<http::Client> MakeHttpClient(const tls::ClientContext& tls);

}  // namespace keelson::net::outbound

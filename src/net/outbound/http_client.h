// HttpClient: http::Client over HTTP/1.1, one connection per request, or connections that are kept for the
// next.
#pragma once

#include <memory>

#include "net/http/client.h"
#include "net/outbound/resolver.h"
#include "net/tls/client_context.h"

namespace keelson::net::outbound {

struct HttpClientOptions {
  bool allow_loopback = false;  // also where a destination is limited to other machines
  // Connections whose answer was read to its end serve later requests of the same loop to the same
  // destination.
  bool keep_connections = false;
};

// `tls` is used for destinations that want it. Both must outlive the client.
std::unique_ptr<http::Client> MakeHttpClient(const tls::ClientContext& tls, Resolver& resolver,
                                             HttpClientOptions options = {});

}  // namespace keelson::net::outbound

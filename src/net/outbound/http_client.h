// HttpClient: http::Client over HTTP/1.1, one connection per request, or connections that are kept for the
// next; or over HTTP/2, whose connections requests share, with servers that choose it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "net/http/client.h"
#include "net/outbound/resolver.h"
#include "net/tls/client_context.h"

namespace keelson::net::outbound {

// A proxy that makes connections for us when it is asked to by CONNECT.
struct ConnectProxy {
  std::string host;
  uint16_t port = 0;
  const tls::ClientContext* tls = nullptr;  // null: the proxy is asked without. Must outlive the client.
};

struct HttpClientOptions {
  bool allow_loopback = false;  // also where a destination is limited to other machines
  // Connections whose answer was read to its end serve later requests of the same loop to the same
  // destination.
  bool keep_connections = false;
  // HTTP/2 is offered to servers that TLS is spoken with, and spoken with those that choose it: requests of
  // one loop to one destination share a connection, as many as the server allows, and it is kept. Requests
  // that ask for an upgrade are sent over HTTP/1.1.
  bool http2 = false;
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(90);  // of such connections, as Go's client
  // Makes every connection, and finds the addresses of names; null: nobody does. Must outlive the client.
  const ConnectProxy* proxy = nullptr;
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(30);  // to an address, with TLS
};

// `tls` is used for destinations that want it. Both must outlive the client.
std::unique_ptr<http::Client> MakeHttpClient(const tls::ClientContext& tls, Resolver& resolver,
                                             HttpClientOptions options = {});

}  // namespace keelson::net::outbound

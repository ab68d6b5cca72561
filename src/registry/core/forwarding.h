// Passing a request on, as upstream's proxies do it: upgrades become tunnels, redirects stay
// answers, and what names the hop is added.
#pragma once

#include <memory>
#include <string>

#include "net/http/client.h"
#include "registry/rest/connect.h"

namespace keelson::registry::core {

struct Forwarding {
  net::http::Destination destination;
  std::string target;  // path and query
  bool upgrade_required = false;
};

// Whether the client wants to leave HTTP: exec with SPDY, WebSockets.
bool IsUpgrade(const net::http::Request& request);

// `client` outlives the answer.
base::Task<rest::Result<net::http::Response>> Forward(net::http::Client& client, net::http::Request& request,
                                                      Forwarding forwarding);

// As much of a body as `limit`, as it arrives.
base::Task<std::string> ReadText(std::unique_ptr<net::http::BodySource> body, size_t limit);

}  // namespace keelson::registry::core

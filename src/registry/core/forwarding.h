// Passing a request on, as upstream's proxies do it: upgrades become tunnels, redirects stay answers that
// lead through the proxy, as the links of HTML pages do, and what names the hop is added.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "net/http/client.h"
#include "registry/core/proxied_links.h"
#include "registry/rest/connect.h"

namespace keelson::registry::core {

// How long whoever was asked may think before it answers; a request's body may take longer.
constexpr std::chrono::minutes kBackendHeadTimeout{5};

struct Forwarding {
  net::http::Destination destination;
  std::string target;  // path and query
  bool upgrade_required = false;
  // How addresses are told to both sides, unless the request is an upgrade; nullopt: as they are.
  std::optional<ProxiedLinks> links;
};

// `client` outlives the answer.
base::Task<rest::Result<net::http::Response>> Forward(net::http::Client& client, net::http::Request& request,
                                                      Forwarding forwarding);

// An error of asking, as 400 where the destination or the request is at fault; nullopt: it is the
// server that was asked.
std::optional<api::Status> Refused(const net::http::ClientError& error);

// As much of a body as `limit`, as it arrives.
base::Task<std::string> ReadText(std::unique_ptr<net::http::BodySource> body, size_t limit);

}  // namespace keelson::registry::core

// Outbound: how this server reaches kubelets, pods and services.
#pragma once

#include <memory>
#include <string>

#include "app/config.h"
#include "app/egress_config.h"
#include "base/result.h"
#include "net/http/client.h"
#include "net/outbound/http_client.h"
#include "net/outbound/resolver.h"
#include "net/tls/client_context.h"

namespace keelson::app {

struct Outbound {
  std::unique_ptr<net::tls::ClientContext> kubelet_tls, insecure_tls, proxy_tls;
  std::unique_ptr<net::outbound::ConnectProxy> proxy;  // on the way into the cluster; null: none
  EgressConfig egress;
  std::unique_ptr<net::outbound::Resolver> resolver;
  std::unique_ptr<net::http::Client> kubelets;  // proves who we are
  std::unique_ptr<net::http::Client> insecure;  // proves nothing, trusts everybody

  // Connections to kubelets from now on use what the files hold now. An error: nothing changes.
  base::Result<void, std::string> ReloadKubeletTls(const Config& config) const;

  // Likewise for the proxy. Requires: there is one.
  base::Result<void, std::string> ReloadProxyTls() const;

  // Errors say which file is at fault.
  static base::Result<Outbound, std::string> Create(const Config& config);
};

}  // namespace keelson::app

// KubernetesService: the service "kubernetes", by which pods reach the API, and the endpoints of the servers
// behind it.
#pragma once

#include <cstdint>
#include <string>

#include "api/validation/ip.h"
#include "bootstrap/ensure.h"
#include "registry/core/server_leases.h"

namespace keelson::bootstrap {

// Threads: one call at a time. Borrows the client and the leases.
class KubernetesService {
 public:
  struct Options {
    api::Cidr range;      // the service has its first address
    std::string address;  // of this server; empty: none that pods could use
    uint16_t port = 0;
  };
  KubernetesService(const client::Client& client, registry::core::ServerLeases& leases, Options options)
      : client_(client), leases_(leases), options_(std::move(options)) {}

  // Makes the service, and makes this server known for some seconds: whoever calls this next drops the
  // servers that no longer do.
  base::Task<Done> Announce();
  // This server is about to stop. Announcements do nothing from now on.
  base::Task<Done> Withdraw();

 private:
  base::Task<Done> EnsureEndpoints();

  const client::Client& client_;
  registry::core::ServerLeases& leases_;
  const Options options_;
  bool withdrawn_ = false;
};

}  // namespace keelson::bootstrap

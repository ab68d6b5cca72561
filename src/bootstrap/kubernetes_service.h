// KubernetesService: the service "kubernetes", by which pods reach the API, and the endpoints of the servers
// behind it.
#pragma once

#include <cstdint>
#include <string>

#include "api/validation/ip.h"
#include "base/one_at_a_time.h"
#include "bootstrap/ensure.h"
#include "registry/core/server_leases.h"

namespace keelson::bootstrap {

// Threads: one loop; what is called while another call is under way waits for it. Borrows the client and the
// leases.
class KubernetesService {
 public:
  struct Options {
    api::Cidr range;      // the service has its first address
    std::string address;  // of this server; empty: none that pods could use
    uint16_t port = 0;
  };
  KubernetesService(const client::Client& client, registry::core::ServerLeases& leases, Options options)
      : client_(client), leases_(leases), options_(std::move(options)) {}

  // Makes the service. This server starts and is no endpoint before it is ready: what an earlier process of
  // it left is taken out, unless nobody else is there.
  base::Task<Done> Begin();
  // Makes the service, and makes this server known for some seconds: whoever calls this next drops the
  // servers that no longer do. Requires: the server is ready.
  base::Task<Done> Announce();
  // This server is about to stop. Announcements do nothing from now on.
  base::Task<Done> Withdraw();

 private:
  base::Task<Done> EnsureService();
  base::Task<Done> EnsureEndpoints();
  // An error when there are none although this server is one of them.
  base::Task<base::Result<std::vector<std::string>, std::string>> Addresses();

  const client::Client& client_;
  registry::core::ServerLeases& leases_;
  const Options options_;
  base::OneAtATime turns_;
  bool withdrawn_ = false;
};

}  // namespace keelson::bootstrap

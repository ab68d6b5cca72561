// How the servers behind APIServices are reached: at their service, by TLS, with the proxy's own certificate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "aggregator/backends.h"
#include "base/lru_map.h"
#include "base/mutex.h"
#include "client/client.h"
#include "net/outbound/http_client.h"
#include "net/outbound/resolver.h"
#include "net/tls/client_context.h"

namespace keelson::app {

// Threads: any loop. Borrows what the options refer to.
class AggregatedBackends final : public aggregator::Backends {
 public:
  struct Options {
    const client::Client& objects;  // finds services
    net::outbound::Resolver& resolver;
    const net::outbound::ConnectProxy* proxy = nullptr;  // on the way to services; null: none
    bool to_endpoints = false;  // of services, rather than to their cluster addresses
    // By what this server proves to backends that it may name users; both or neither.
    std::filesystem::path certificate_file, key_file;
    // Where this server itself is, which the service `kubernetes` stands for.
    std::function<net::http::Destination()> self;
  };
  // An error says which file is at fault.
  static base::Result<std::unique_ptr<AggregatedBackends>, std::string> Create(Options options);

  base::Result<ClientPtr, std::string> ClientFor(const aggregator::ApiService& service) override;
  base::Task<base::Result<net::http::Destination, std::string>> Locate(
      aggregator::ServiceReference service) override;
  // To other servers of this API, which `ca_pem` vouches for; never by the proxy on the way to services.
  base::Result<ClientPtr, std::string> ClientForPeers(const std::string& ca_pem);

  // Connections from now on use this certificate and its key. An error: nothing changes.
  base::Result<void, std::string> Use(std::string certificate_pem, std::string key_pem);

 private:
  struct Pair {
    std::string certificate_pem, key_pem;
    bool operator==(const Pair&) const = default;
  };
  struct TrustingClient;

  // Whom a client trusts, and the way that it takes.
  struct Way {
    const std::string& ca_pem;
    bool insecure = false;
    const net::outbound::ConnectProxy* proxy = nullptr;
  };
  base::Result<ClientPtr, std::string> ClientBy(const Way& way);

  explicit AggregatedBackends(Options options) : options_(std::move(options)), clients_(kMostClients) {}
  static constexpr size_t kMostClients = 200;

  const Options options_;
  base::Mutex mu_;
  Pair pair_ GUARDED_BY(mu_);
  uint64_t pairs_ GUARDED_BY(mu_) = 0;  // that were in use before; clients of earlier ones are not used
  base::LruMap<std::string, std::shared_ptr<TrustingClient>> clients_ GUARDED_BY(mu_);
};

}  // namespace keelson::app

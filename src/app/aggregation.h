// Aggregation: the first server of the chain. It serves what the backends of APIServices do, and discovery,
// which tells of all servers together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregator/api_service_table.h"
#include "aggregator/availability.h"
#include "aggregator/discovery.h"
#include "aggregator/openapi.h"
#include "aggregator/peers.h"
#include "aggregator/proxy.h"
#include "aggregator/remote_client.h"
#include "api/types/resource_desc.h"
#include "app/aggregated_backends.h"
#include "base/executor.h"
#include "base/metrics.h"
#include "base/task.h"
#include "client/client.h"
#include "endpoints/api_handler.h"
#include "server/delegation.h"
#include "server/incoming_request.h"

namespace keelson::app {

// Threads: made anywhere; what follows objects runs on `loop`; requests on any. Outlives the loop's running.
class Aggregation final : public server::ApiServer {
 public:
  struct Options {
    AggregatedBackends& backends;
    const client::Client& client;  // writes as the server
    base::Executor& loop;
    base::Metrics& metrics;
    std::vector<const api::ResourceDesc*> built_in;  // what this server serves by itself
    bool reject_redirects = true;
    const endpoints::ApiHandler& handler;  // has the documents of discovery
    server::Establishing establishing;     // documents wait until that is settled
    const server::ApiServer& next;         // is asked what nobody here serves
    // The other servers of this API, if requests are passed on to them.
    struct PeerOptions {
      registry::core::ServerLeases& leases;
      std::string ca_pem;  // vouches for them
      std::string own_id;
    };
    std::optional<PeerOptions> peers;
    // Is told what discovery has besides what is served here, on `loop`.
    std::function<void(endpoints::discovery::RegisteredPtr)> publish;
    // The same for the index of OpenAPI v3.
    std::function<void(aggregator::OpenApi::Urls)> describe;
    // Takes the OpenAPI v2 documents of the backends.
    std::function<void(std::vector<endpoints::openapi::RemoteSpecPtr>)> describe_v2;
  };
  explicit Aggregation(Options options);

  // Every APIService is known when this is over. On `loop`.
  base::Task<void> Start();
  void Stop();

  // Null: requests are not passed on to other servers.
  const aggregator::Peers* peers() const { return peers_ ? &*peers_ : nullptr; }

  // The aggregated resources for the namespace controller and for the garbage collector. On `loop`.
  const controllers::RemoteResources& for_namespaces() const { return for_namespaces_; }
  const controllers::RemoteResources& for_collection() const { return for_collection_; }

  base::Task<net::http::Response> Handle(server::IncomingRequest& incoming) const override;
  // The answer to a request for a document of OpenAPI that a backend has; nullopt: it is here. Any loop.
  std::optional<base::Task<net::http::Response>> HandleOpenApi(server::IncomingRequest& incoming) const;

 private:
  std::function<void(endpoints::discovery::RegisteredPtr)> AlsoToOwnClients(
      std::function<void(endpoints::discovery::RegisteredPtr)> publish);
  base::Task<net::http::Response> Discover(server::IncomingRequest& incoming) const;

  const endpoints::ApiHandler& handler_;
  const server::Establishing establishing_;
  const server::ApiServer& next_;
  aggregator::ApiServiceTable table_;
  aggregator::Proxy proxy_;
  std::optional<aggregator::Peers> peers_;
  aggregator::RemoteClient for_namespaces_, for_collection_;
  aggregator::Availability availability_;
  aggregator::Discovery discovery_;
  aggregator::OpenApi openapi_;
};

}  // namespace keelson::app

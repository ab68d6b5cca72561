// Peers: the other API servers on the same store, and what they serve. Each has an identity lease in
// kube-system by which it is known to run, a lease in the store that says where it is, and its discovery.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/api_service_table.h"
#include "aggregator/backends.h"
#include "aggregator/peer_documents.h"
#include "base/executor.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/published.h"
#include "client/informer.h"
#include "controllers/keyed_queue.h"
#include "endpoints/discovery/documents.h"
#include "net/http/client.h"
#include "registry/core/server_leases.h"

namespace keelson::aggregator {

// Threads: what follows objects runs on `loop`; the rest says. Borrows all; outlives the loop's running.
class Peers {
 public:
  struct Options {
    const client::Client& client;
    ApiServiceTable& table;                // that has not been started yet
    registry::core::ServerLeases& leases;  // of peers
    // How peers are reached: it trusts them, and proves that it may name users.
    std::function<base::Result<Backends::ClientPtr, std::string>()> connect;
    base::Executor& loop;
    base::Metrics& metrics;
    std::string own_id;  // of this server
  };
  explicit Peers(Options options);

  // On `loop`.
  void Start();
  void Stop();

  // The ids of the peers that serve a resource. Any loop, without a lock.
  std::vector<std::string> WhoServes(std::string_view group, std::string_view version,
                                     std::string_view resource) const;
  // Where a peer is now; an error: it has not said so lately. Any loop.
  base::Task<base::Result<net::http::Destination, std::string>> Locate(std::string id) const;
  base::Result<Backends::ClientPtr, std::string> Connect() const { return options_.connect(); }

  // `own` with the resources that only peers serve added. Any loop.
  endpoints::discovery::Document WithPeers(endpoints::discovery::Document own) const;

  // For how long versions of definitions and of aggregated APIs that are gone are not looked for at peers,
  // which may not have heard of it.
  static constexpr std::chrono::minutes kExclusionGrace{5};

 private:
  // A peer and the groups that its discovery lists.
  struct Peer {
    std::string holder;  // of its lease; each process has its own
    bool asked = false;
    ServedGroups core, groups;
  };
  // The published state, which requests read without a lock.
  struct Known final : base::Publishable<Known> {
    std::map<std::string, std::vector<std::string>, std::less<>>
        by_resource;                             // "GROUP/VERSION/RESOURCE" to ids
    std::map<std::string, ServedGroups> groups;  // by id
  };
  // The last document that was made, and of what.
  struct Made {
    std::string own_etag;
    base::Reading<Known> known;
    endpoints::discovery::Document document;
  };

  void SeeLease(const client::Change& change);
  void Forget(const std::string& id);
  void SeeApiService(const std::string& name);
  base::Task<bool> Sync(std::string id);
  base::Task<base::Result<ServedGroups, std::string>> Ask(net::http::Destination peer,
                                                          std::string path) const;
  // Without versions of definitions and aggregated APIs: those every server sees for itself.
  ServedGroups Filtered(const ServedGroups& groups) const;
  void Publish();
  void CountError(std::string type);

  const Options options_;
  client::Informer identities_;
  controllers::KeyedQueue queue_;
  std::map<std::string, Peer> peers_;        // by id
  std::map<std::string, Peer> unconfirmed_;  // while leases are listed again
  // "VERSION.GROUP" of what is not built in, and when it was last there; max: it is there now.
  std::map<std::string, std::chrono::steady_clock::time_point> excluded_;
  base::Published<Known> known_{new Known};
  mutable base::Mutex mu_;
  mutable std::shared_ptr<const Made> made_ GUARDED_BY(mu_);
};

}  // namespace keelson::aggregator

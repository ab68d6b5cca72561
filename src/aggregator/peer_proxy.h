// PeerProxy: the server of the chain that passes on what only other servers of the cluster serve.
#pragma once

#include "aggregator/peers.h"
#include "base/metrics.h"
#include "server/delegation.h"

namespace keelson::aggregator {

// Threads: any loop. Borrows all.
class PeerProxy final : public server::ApiServer {
 public:
  PeerProxy(base::Metrics& metrics, const server::ApiServer& next) : metrics_(metrics), next_(next) {}

  // Before requests are served. Without peers `next` is asked.
  void Use(const Peers& peers) { peers_ = &peers; }

  // A request that a peer has passed on is not passed on again.
  base::Task<net::http::Response> Handle(server::IncomingRequest& incoming) const override;

 private:
  base::Task<net::http::Response> PassOn(server::IncomingRequest& incoming,
                                         std::vector<std::string> ids) const;

  base::Metrics& metrics_;
  const server::ApiServer& next_;
  const Peers* peers_ = nullptr;
};

}  // namespace keelson::aggregator

#include "aggregator/peer_proxy.h"

#include <utility>

#include "aggregator/proxy.h"
#include "api/meta/status.h"
#include "endpoints/negotiation.h"
#include "endpoints/query.h"
#include "endpoints/respond.h"
#include "registry/core/random.h"
#include "server/text_response.h"

namespace keelson::aggregator {
namespace {

constexpr std::string_view kPassedOn = "x-kubernetes-peer-proxied";

base::Labels LabelsOf(const endpoints::RequestInfo& info, std::string_view name, std::string value) {
  return {{std::string(name), std::move(value)},
          {"group", info.group},
          {"version", info.version},
          {"resource", info.resource}};
}

}  // namespace

base::Task<net::http::Response> PeerProxy::Handle(server::IncomingRequest& incoming) const {
  const endpoints::RequestInfo& info = incoming.info;
  if (!peers_ || !info.resource_request || incoming.request.headers.Get(kPassedOn) == "true")
    return next_.Handle(incoming);
  auto ids = peers_->WhoServes(info.group, info.version, info.resource);
  if (ids.empty()) return next_.Handle(incoming);
  // The peer does the rest of a watch: it holds no seat here.
  if (incoming.ticket && incoming.long_running) incoming.ticket->GiveBack();
  return PassOn(incoming, std::move(ids));
}

base::Task<net::http::Response> PeerProxy::PassOn(server::IncomingRequest& incoming,
                                                  std::vector<std::string> ids) const {
  constexpr std::string_view kErrors = "apiserver_peer_proxy_errors_total";
  constexpr std::string_view kErrorsHelp = "Requests that could not be passed on to another API server.";
  const endpoints::RequestInfo info = incoming.info;
  std::vector<net::http::Destination> places;
  for (const std::string& id : ids)
    if (auto place = co_await peers_->Locate(id)) places.push_back(*std::move(place));
  if (places.empty()) {
    metrics_.GetCounter(kErrors, kErrorsHelp, LabelsOf(info, "type", "endpoint_resolution")).Add();
    incoming.failure_is_told = true;
    co_return endpoints::StatusResponse(
        {.code = 503,
         .reason = "ServiceUnavailable",
         .message = "Error getting ip and port info of the remote server while proxying"},
        endpoints::NegotiateStatus(incoming.request.headers, endpoints::Query(incoming.request.query)));
  }
  auto client = peers_->Connect();
  if (!client) {
    metrics_.GetCounter(kErrors, kErrorsHelp, LabelsOf(info, "type", "proxy_transport")).Add();
    co_return server::TextError(503, client.error());
  }
  incoming.request.headers.Set(kPassedOn, "true");
  auto answer = co_await ForwardTo(*std::move(client), incoming,
                                   std::move(places[registry::core::RandomBelow(places.size())]));
  metrics_
      .GetCounter(
          "apiserver_rerouted_request_total",
          "Requests that were passed on to another API server, since this one does not serve what they "
          "are for.",
          LabelsOf(info, "code", std::to_string(answer.status)))
      .Add();
  co_return answer;
}

}  // namespace keelson::aggregator

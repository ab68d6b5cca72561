#include "app/aggregation.h"

#include <utility>

#include "registry/apiregistration/local_services.h"

namespace keelson::app {
namespace {

endpoints::discovery::Registered BuiltIn(std::span<const api::ResourceDesc* const> served) {
  endpoints::discovery::Registered versions;
  for (const api::Doc& doc : registry::apiregistration::LocalServices(served))
    versions.push_back(aggregator::RegisteredFrom(aggregator::ReadApiService(doc)));
  return versions;
}

}  // namespace

Aggregation::Aggregation(Options options)
    : handler_(options.handler),
      establishing_(std::move(options.establishing)),
      next_(options.next),
      table_(options.client, options.loop),
      proxy_(options.backends, options.reject_redirects),
      for_namespaces_(table_, options.backends, "namespace-controller"),
      for_collection_(table_, options.backends, "generic-garbage-collector"),
      availability_({.client = options.client,
                     .table = table_,
                     .backends = options.backends,
                     .loop = options.loop,
                     .metrics = options.metrics}),
      discovery_({.table = table_,
                  .backends = options.backends,
                  .loop = options.loop,
                  .built_in = BuiltIn(options.built_in),
                  .publish = AlsoToOwnClients(std::move(options.publish))}),
      openapi_({.table = table_,
                .backends = options.backends,
                .loop = options.loop,
                .publish = std::move(options.describe),
                .publish_specs = std::move(options.describe_v2)}) {
  if (!options.peers) return;
  peers_.emplace(aggregator::Peers::Options{
      .client = options.client,
      .table = table_,
      .leases = options.peers->leases,
      .connect = [&backends = options.backends,
                  ca = options.peers->ca_pem] { return backends.ClientForPeers(ca); },
      .loop = options.loop,
      .metrics = options.metrics,
      .own_id = options.peers->own_id});
}

std::function<void(endpoints::discovery::RegisteredPtr)> Aggregation::AlsoToOwnClients(
    std::function<void(endpoints::discovery::RegisteredPtr)> publish) {
  return [this, publish = std::move(publish)](endpoints::discovery::RegisteredPtr registered) {
    for_namespaces_.SetRegistered(*registered);
    for_collection_.SetRegistered(*registered);
    publish(std::move(registered));
  };
}

base::Task<void> Aggregation::Start() {
  availability_.Start();
  discovery_.Start();
  openapi_.Start();
  if (peers_) peers_->Start();
  table_.Start();
  co_await table_.CatchUp();
  discovery_.Publish();
}

void Aggregation::Stop() {
  availability_.Stop();
  if (peers_) peers_->Stop();
}

base::Task<net::http::Response> Aggregation::Handle(server::IncomingRequest& incoming) const {
  if (auto service = table_.Route(incoming.info.path)) {
    // The backend does the rest of a watch: it holds no seat here.
    if (incoming.ticket && incoming.long_running) incoming.ticket->GiveBack();
    return proxy_.Handle(incoming, std::move(service));
  }
  if (!incoming.info.resource_request) return Discover(incoming);
  return next_.Handle(incoming);
}

base::Task<net::http::Response> Aggregation::Discover(server::IncomingRequest& incoming) const {
  if (establishing_.now()) co_await establishing_.settled();
  const std::string_view path = incoming.info.path;
  endpoints::ApiHandler::Extend extend;
  if (peers_ && (path == "/apis" || path == "/apis/") &&
      endpoints::discovery::AsksForAllServers(incoming.request))
    extend = [this](endpoints::discovery::Document own) { return peers_->WithPeers(std::move(own)); };
  co_return handler_.HandleDiscovery(incoming.request, incoming.info, extend);
}

std::optional<base::Task<net::http::Response>> Aggregation::HandleOpenApi(
    server::IncomingRequest& incoming) const {
  auto service = openapi_.Route(incoming.info.path);
  if (!service) return std::nullopt;
  return proxy_.Handle(incoming, std::move(service));
}

}  // namespace keelson::app

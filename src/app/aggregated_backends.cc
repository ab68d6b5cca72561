#include "app/aggregated_backends.h"

#include <utility>

#include "app/service_resolver.h"
#include "base/file.h"
#include "base/log.h"
#include "net/outbound/http_client.h"

namespace keelson::app {

using aggregator::ApiService;
using aggregator::ServiceReference;

// A client with what it trusts.
struct AggregatedBackends::TrustingClient {
  std::unique_ptr<net::tls::ClientContext> tls;
  std::unique_ptr<net::http::Client> http;
};

base::Result<std::unique_ptr<AggregatedBackends>, std::string> AggregatedBackends::Create(Options options) {
  std::unique_ptr<AggregatedBackends> backends(new AggregatedBackends(std::move(options)));
  auto pair = TRY(backends->ReadPair());
  const base::MutexLock lock(backends->mu_);
  backends->pair_ = std::move(pair);
  return backends;
}

base::Result<AggregatedBackends::Pair, std::string> AggregatedBackends::ReadPair() const {
  Pair pair;
  if (options_.certificate_file.empty()) return pair;
  pair.certificate_pem = TRY(base::ReadFile(options_.certificate_file));
  pair.key_pem = TRY(base::ReadFile(options_.key_file));
  const auto usable = net::tls::ClientContext::Create(
      {.certificate_pem = pair.certificate_pem, .private_key_pem = pair.key_pem});
  if (!usable) return base::Err("--proxy-client-cert-file: " + usable.error());
  return pair;
}

base::Task<void> AggregatedBackends::Reload() {
  auto pair = ReadPair();
  if (!pair) {
    if (std::exchange(problem_, pair.error()) != pair.error())
      base::Log(base::LogLevel::kWarning, "the certificate for aggregated APIs stays as it was",
                {{"why", pair.error()}});
    co_return;
  }
  problem_.clear();
  const base::MutexLock lock(mu_);
  if (*pair == pair_) co_return;
  pair_ = *std::move(pair);
  ++pairs_;
  base::Log(base::LogLevel::kInfo, "the certificate for aggregated APIs was read anew");
}

base::Result<aggregator::Backends::ClientPtr, std::string> AggregatedBackends::ClientFor(
    const ApiService& service) {
  const base::MutexLock lock(mu_);
  const std::string key = std::to_string(pairs_) + (service.insecure ? "?" : "=") + service.ca_bundle;
  const auto as_client = [](const std::shared_ptr<TrustingClient>& made) {
    return ClientPtr(made, made->http.get());
  };
  if (const auto* const known = clients_.Find(key)) return as_client(*known);
  auto made = std::make_shared<TrustingClient>();
  made->tls = TRY(net::tls::ClientContext::Create({.ca_pem = service.ca_bundle,
                                                   .certificate_pem = pair_.certificate_pem,
                                                   .private_key_pem = pair_.key_pem,
                                                   .verify = !service.insecure}));
  made->http = net::outbound::MakeHttpClient(*made->tls, options_.resolver);
  clients_.Put(key, made);
  return as_client(made);
}

base::Task<base::Result<net::http::Destination, std::string>> AggregatedBackends::Locate(
    ServiceReference service) {
  net::http::Destination destination;
  if (service.ns == "default" && service.name == "kubernetes" && service.port == 443) {
    destination = options_.self();
  } else {
    const auto address =
        CO_TRY(co_await ResolveService(options_.objects, {.ns = service.ns,
                                                          .name = service.name,
                                                          .port = service.port,
                                                          .to_endpoints = options_.to_endpoints}));
    destination.host = address.host;
    destination.port = address.port;
  }
  destination.tls_name = service.TlsName();
  co_return destination;
}

}  // namespace keelson::app

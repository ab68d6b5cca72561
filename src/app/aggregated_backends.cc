#include "app/aggregated_backends.h"

#include <utility>

#include "app/service_resolver.h"
#include "base/file.h"
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
  const Options& given = backends->options_;
  if (given.certificate_file.empty()) return backends;
  auto certificate = TRY(base::ReadFile(given.certificate_file));
  auto key = TRY(base::ReadFile(given.key_file));
  TRY(backends->Use(std::move(certificate), std::move(key)));
  return backends;
}

base::Result<void, std::string> AggregatedBackends::Use(std::string certificate_pem, std::string key_pem) {
  const auto usable =
      net::tls::ClientContext::Create({.certificate_pem = certificate_pem, .private_key_pem = key_pem});
  if (!usable) return base::Err("--proxy-client-cert-file: " + usable.error());
  const base::MutexLock lock(mu_);
  pair_ = {std::move(certificate_pem), std::move(key_pem)};
  ++pairs_;
  return {};
}

base::Result<aggregator::Backends::ClientPtr, std::string> AggregatedBackends::ClientFor(
    const ApiService& service) {
  return ClientBy({.ca_pem = service.ca_bundle, .insecure = service.insecure, .proxy = options_.proxy});
}

base::Result<aggregator::Backends::ClientPtr, std::string> AggregatedBackends::ClientForPeers(
    const std::string& ca_pem) {
  return ClientBy({.ca_pem = ca_pem});
}

base::Result<aggregator::Backends::ClientPtr, std::string> AggregatedBackends::ClientBy(const Way& way) {
  const base::MutexLock lock(mu_);
  const std::string key =
      std::to_string(pairs_) + (way.insecure ? "?" : "=") + (way.proxy ? "by proxy " : "") + way.ca_pem;
  const auto as_client = [](const std::shared_ptr<TrustingClient>& made) {
    return ClientPtr(made, made->http.get());
  };
  if (const auto* const known = clients_.Find(key)) return as_client(*known);
  auto made = std::make_shared<TrustingClient>();
  made->tls = TRY(net::tls::ClientContext::Create({.ca_pem = way.ca_pem,
                                                   .certificate_pem = pair_.certificate_pem,
                                                   .private_key_pem = pair_.key_pem,
                                                   .verify = !way.insecure}));
  made->http = net::outbound::MakeHttpClient(*made->tls, options_.resolver, {.proxy = way.proxy});
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

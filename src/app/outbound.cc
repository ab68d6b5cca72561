#include "app/outbound.h"

#include "base/file.h"
#include "net/outbound/http_client.h"

namespace keelson::app {
namespace {

// An empty path reads as empty.
base::Result<std::string, std::string> ReadIfGiven(const std::filesystem::path& path) {
  if (path.empty()) return std::string();
  return base::ReadFile(path);
}

base::Result<net::tls::ClientTlsConfig, std::string> ReadKubeletTls(const Config& config) {
  net::tls::ClientTlsConfig kubelets{.verify = !config.kubelet_certificate_authority.empty()};
  const std::pair<const std::filesystem::path&, std::string&> files[] = {
      {config.kubelet_certificate_authority, kubelets.ca_pem},
      {config.kubelet_client_certificate, kubelets.certificate_pem},
      {config.kubelet_client_key, kubelets.private_key_pem}};
  for (const auto& [path, text] : files) text = TRY(ReadIfGiven(path));
  return kubelets;
}

base::Result<net::tls::ClientTlsConfig, std::string> ReadProxyTls(const EgressProxy& proxy) {
  net::tls::ClientTlsConfig tls;
  tls.ca_pem = TRY(ReadIfGiven(proxy.ca_bundle));
  tls.certificate_pem = TRY(ReadIfGiven(proxy.client_cert));
  tls.private_key_pem = TRY(ReadIfGiven(proxy.client_key));
  return tls;
}

// The proxy that the file names, if it does.
base::Result<void, std::string> UseEgressConfig(const std::filesystem::path& file, Outbound& outbound) {
  const auto blamed = [&](const std::string& error) {
    return base::Err("--egress-selector-config-file " + file.string() + ": " + error);
  };
  const auto text = TRY(base::ReadFile(file));
  auto parsed = ParseEgressConfig(text);
  if (!parsed) return blamed(parsed.error());
  outbound.egress = *std::move(parsed);
  if (!outbound.egress.cluster) return {};
  const EgressProxy& proxy = *outbound.egress.cluster;
  if (proxy.tls) {
    auto context = net::tls::ClientContext::Create(TRY(ReadProxyTls(proxy)));
    if (!context) return blamed(context.error());
    outbound.proxy_tls = *std::move(context);
  }
  outbound.proxy = std::make_unique<net::outbound::ConnectProxy>(
      net::outbound::ConnectProxy{.host = proxy.host, .port = proxy.port, .tls = outbound.proxy_tls.get()});
  return {};
}

std::unexpected<std::string> Blamed(const std::string& error) {
  return base::Err("kubelet client: " + error);
}

}  // namespace

base::Result<void, std::string> Outbound::ReloadKubeletTls(const Config& config) const {
  const auto kubelets = TRY(ReadKubeletTls(config));
  if (auto replaced = kubelet_tls->Replace(kubelets); !replaced) return Blamed(replaced.error());
  return {};
}

base::Result<void, std::string> Outbound::ReloadProxyTls() const {
  if (!proxy_tls) return {};
  return proxy_tls->Replace(TRY(ReadProxyTls(*egress.cluster)));
}

base::Result<Outbound, std::string> Outbound::Create(const Config& config) {
  const auto kubelets = TRY(ReadKubeletTls(config));
  Outbound outbound;
  auto kubelet_tls = net::tls::ClientContext::Create(kubelets);
  if (!kubelet_tls) return Blamed(kubelet_tls.error());
  outbound.kubelet_tls = *std::move(kubelet_tls);
  outbound.insecure_tls = TRY(net::tls::ClientContext::Create({.verify = false}));
  outbound.resolver = std::make_unique<net::outbound::Resolver>(net::outbound::Resolver::Options{});
  if (!config.egress_selector_config_file.empty())
    TRY(UseEgressConfig(config.egress_selector_config_file, outbound));
  const net::outbound::HttpClientOptions options{.allow_loopback = config.allow_loopback_backends,
                                                 .proxy = outbound.proxy.get()};
  net::outbound::HttpClientOptions to_kubelets = options;
  to_kubelets.connect_timeout = config.kubelet_timeout;
  outbound.kubelets = net::outbound::MakeHttpClient(*outbound.kubelet_tls, *outbound.resolver, to_kubelets);
  outbound.insecure = net::outbound::MakeHttpClient(*outbound.insecure_tls, *outbound.resolver, options);
  return outbound;
}

}  // namespace keelson::app

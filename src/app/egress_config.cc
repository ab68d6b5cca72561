#include "app/egress_config.h"

#include <charconv>
#include <set>
#include <vector>

#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"

namespace keelson::app {
namespace {

constexpr std::string_view kGroup = "apiserver.k8s.io/", kKind = "EgressSelectorConfiguration";

// One selection as it is written.
struct RawSelection {
  std::string name, protocol, url, uds_name, ca_bundle, client_cert, client_key;
  bool transport = false, tcp = false, uds = false, tls_config = false;
};

class EgressReader {
 public:
  explicit EgressReader(std::string_view json) : reader_(json, /*strict=*/true) {}

  base::Result<std::vector<RawSelection>, std::string> Run() {
    std::vector<RawSelection> selections;
    std::string version, kind;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(version);
      if (name == "kind") return reader_.Text(kind);
      if (name == "egressSelections")
        return reader_.List([&] { return Selection(selections.emplace_back()); });
      return reader_.Unknown();
    });
    if (!read || !reader_.AtEnd()) return base::Err(reader_.error());
    if (kind != kKind ||
        (version != std::string(kGroup) + "v1beta1" && version != std::string(kGroup) + "v1alpha1"))
      return base::Err("not an EgressSelectorConfiguration of apiserver.k8s.io/v1beta1: " + version + " " +
                       kind);
    return selections;
  }

 private:
  bool Selection(RawSelection& s) {
    return reader_.Object([&](std::string_view name) {
      if (name == "name") return reader_.Text(s.name);
      if (name != "connection") return reader_.Unknown();
      return reader_.Object([&](std::string_view member) {
        if (member == "proxyProtocol") return reader_.Text(s.protocol);
        if (member == "transport") return Transport(s);
        return reader_.Unknown();
      });
    });
  }

  bool Transport(RawSelection& s) {
    if (reader_.Null()) return true;
    s.transport = true;
    return reader_.Object([&](std::string_view name) {
      if (name == "tcp") return Tcp(s);
      if (name != "uds") return reader_.Unknown();
      s.uds = true;
      return reader_.Object([&](std::string_view member) {
        return member == "udsName" ? reader_.Text(s.uds_name) : reader_.Unknown();
      });
    });
  }

  bool Tcp(RawSelection& s) {
    if (reader_.Null()) return true;
    s.tcp = true;
    return reader_.Object([&](std::string_view name) {
      if (name == "url") return reader_.Text(s.url);
      if (name != "tlsConfig") return reader_.Unknown();
      if (reader_.Null()) return true;
      s.tls_config = true;
      return reader_.Object([&](std::string_view member) {
        if (member == "caBundle") return reader_.Text(s.ca_bundle);
        if (member == "clientCert") return reader_.Text(s.client_cert);
        if (member == "clientKey") return reader_.Text(s.client_key);
        return reader_.Unknown();
      });
    });
  }

  api::ConfigReader reader_;
};

base::Result<void, std::string> ParseProxyUrl(std::string_view url, EgressProxy& proxy) {
  const auto bad = [&] {
    return base::Err("\"" + std::string(url) + "\" is not http://host:port or https://host:port");
  };
  std::string_view rest = url;
  proxy.tls = rest.starts_with("https://");
  if (!proxy.tls && !rest.starts_with("http://")) return bad();
  rest.remove_prefix(proxy.tls ? 8 : 7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const size_t colon = rest.rfind(':');
  const bool has_port = colon != std::string_view::npos && rest.find(']', colon) == std::string_view::npos;
  std::string_view host = rest.substr(0, has_port ? colon : rest.size());
  proxy.port = proxy.tls ? 443 : 80;
  if (has_port) {
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), proxy.port);
    if (error != std::errc() || end != port.data() + port.size() || proxy.port == 0) return bad();
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("/@?#[]") != std::string_view::npos) return bad();
  proxy.host = host;
  return {};
}

base::Result<EgressProxy, std::string> ProxyOf(const RawSelection& s) {
  if (s.protocol != "HTTPConnect")
    return base::Err("the proxy protocol \"" + s.protocol + "\" is not supported: Direct or HTTPConnect");
  if (!s.tcp || s.uds) return base::Err(std::string("the transport must be tcp"));
  EgressProxy proxy;
  TRY(ParseProxyUrl(s.url, proxy));
  if (proxy.tls != s.tls_config)
    return base::Err(std::string(proxy.tls ? "https needs a tlsConfig" : "http has no tlsConfig"));
  if (s.client_cert.empty() != s.client_key.empty())
    return base::Err(std::string("clientCert and clientKey must be given together"));
  proxy.ca_bundle = s.ca_bundle;
  proxy.client_cert = s.client_cert;
  proxy.client_key = s.client_key;
  return proxy;
}

}  // namespace

base::Result<EgressConfig, std::string> ParseEgressConfig(std::string_view text) {
  static const std::set<std::string, std::less<>> kNames = {"cluster", "controlplane", "etcd", "master"};
  const auto json = api::yaml::ToJson(text);
  if (!json) return base::Err(json.error().message);
  const auto selections = TRY(EgressReader(*json).Run());
  EgressConfig config;
  std::set<std::string> seen;
  for (const RawSelection& s : selections) {
    const std::string where = "egress selection \"" + s.name + "\": ";
    if (!kNames.contains(s.name)) return base::Err(where + "cluster, controlplane or etcd is expected");
    if (!seen.insert(s.name).second) return base::Err(where + "is there twice");
    if (s.protocol == "Direct" && !s.transport) continue;
    if (s.protocol == "Direct") return base::Err(where + "Direct has no transport");
    if (s.name != "cluster")
      return base::Err(where + "only connections to the cluster can go through a proxy; use Direct");
    auto proxy = ProxyOf(s);
    if (!proxy) return base::Err(where + proxy.error());
    config.cluster = *std::move(proxy);
  }
  return config;
}

}  // namespace keelson::app

#include "storage/etcd3/endpoint.h"

#include <charconv>
#include <string_view>

namespace keelson::storage::etcd3 {
namespace {
constexpr std::string_view kPlain = "http://", kSecure = "https://";
constexpr std::string_view kUnix = "unix://", kSecureUnix = "unixs://";
}  // namespace

bool IsSecureEndpoint(const std::string& endpoint) {
  return endpoint.starts_with(kSecure) || endpoint.starts_with(kSecureUnix);
}

base::Result<net::grpc::Target, std::string> ParseEndpoint(const std::string& endpoint,
                                                           const net::tls::ClientContext* tls,
                                                           bool tls_configured) {
  const auto bad = [&](const char* why) { return base::Err("etcd endpoint \"" + endpoint + "\": " + why); };
  std::string_view rest = endpoint;
  for (const std::string_view scheme : {kUnix, kSecureUnix}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    if (rest.empty()) return bad("a path is missing");
    // The name is what a certificate must be for.
    return net::grpc::Target{.host = "localhost",
                             .tls = scheme == kSecureUnix || tls_configured ? tls : nullptr,
                             .unix_path = std::string(rest)};
  }
  bool secure = tls_configured;
  if (rest.starts_with(kSecure)) {
    secure = true;
    rest.remove_prefix(kSecure.size());
  } else if (rest.starts_with(kPlain)) {
    secure = false;
    rest.remove_prefix(kPlain.size());
  } else if (rest.find("://") != std::string_view::npos) {
    return bad("the scheme must be http, https, unix or unixs");
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || rest.ends_with(']')) return bad("a port is missing");
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  net::grpc::Target target{.tls = secure ? tls : nullptr};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), target.port);
  if (error != std::errc() || end != port.data() + port.size() || target.port == 0) return bad("not a port");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find('/') != std::string_view::npos) return bad("not a host");
  target.host = host;
  return target;
}

}  // namespace keelson::storage::etcd3

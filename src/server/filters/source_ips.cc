#include "server/filters/source_ips.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/ascii.h"

namespace keelson::server {
namespace {

// The address in its usual form; empty: it is none.
std::string Canonical(std::string_view text) {
  const std::string zero_ended(base::Trimmed(text));
  char shown[INET6_ADDRSTRLEN];
  in_addr v4{};
  if (::inet_pton(AF_INET, zero_ended.c_str(), &v4) == 1)
    return ::inet_ntop(AF_INET, &v4, shown, sizeof shown);
  in6_addr v6{};
  if (::inet_pton(AF_INET6, zero_ended.c_str(), &v6) != 1) return {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return ::inet_ntop(AF_INET, &v6.s6_addr[12], shown, sizeof shown);
  return ::inet_ntop(AF_INET6, &v6, shown, sizeof shown);
}

}  // namespace

std::vector<std::string> SourceIps(const net::http::Request& request) {
  std::vector<std::string> found;
  const auto add = [&](std::string ip) {
    if (!ip.empty()) found.push_back(std::move(ip));
  };
  if (const auto forwarded = request.headers.Get("x-forwarded-for")) {
    std::string_view rest = *forwarded;
    for (;;) {
      const size_t comma = rest.find(',');
      add(Canonical(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (const auto real = request.headers.Get("x-real-ip"))
    if (std::string ip = Canonical(*real); std::ranges::find(found, ip) == found.end()) add(std::move(ip));
  if (request.connection) {
    const std::string& remote = request.connection->remote_address;
    // The kernel's text of an IPv4 address is the usual form.
    std::string ip = remote.contains(':') ? Canonical(remote) : remote;
    if (found.empty() || found.back() != ip) add(std::move(ip));
  }
  return found;
}

}  // namespace keelson::server

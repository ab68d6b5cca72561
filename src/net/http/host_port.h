// "host:port" taken apart.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace keelson::net::http {

struct HostAndPort {
  std::string_view host;  // an IPv6 address without its brackets
  uint16_t port = 0;      // 0: none is given, or it is no port
};

inline HostAndPort SplitHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos;
  HostAndPort split{.host = text.substr(0, has_port ? colon : text.size())};
  if (split.host.starts_with('[') && split.host.ends_with(']'))
    split.host = split.host.substr(1, split.host.size() - 2);
  if (!has_port) return split;
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), split.port);
  if (error != std::errc() || end != port.data() + port.size()) split.port = 0;
  return split;
}

}  // namespace keelson::net::http

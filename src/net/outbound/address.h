// Address: where a connection of ours goes.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

namespace keelson::net::outbound {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  // An IPv4 or IPv6 address without brackets; nullopt: it is none.
  static std::optional<Address> Parse(const std::string& ip);

  std::string Ip() const;
  std::string ToString() const;  // "10.0.0.1:80", "[::1]:80"
  // Of one machine, and not this one, as Go's IP.IsGlobalUnicast has it.
  bool IsGlobalUnicast() const;
  // Of this machine, and of no other.
  bool IsLoopback() const;
};

}  // namespace keelson::net::outbound

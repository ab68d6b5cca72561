// Address: where a connection of ours goes.
#pragma once

#include <sys/socket.h>

#include <string>

namespace keelson::net::outbound {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  std::string Ip() const;
  std::string ToString() const;  // "10.0.0.1:80", "[::1]:80"
  // Of one machine, and not this one, as Go's IP.IsGlobalUnicast has it.
  bool IsGlobalUnicast() const;
  // Of this machine, and of no other.
  bool IsLoopback() const;
};

}  // namespace keelson::net::outbound

// Listener: a socket on a free port of this host, for the servers of tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace keelson::net::testing {

struct Listener {
  int fd = -1;  // whoever opened it closes it
  uint16_t port = 0;
};

// Listens on 127.0.0.1 for at most `backlog` connections that nobody has accepted yet.
inline Listener ListenOnLoopback(int backlog) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  listen(fd, backlog);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return {.fd = fd, .port = ntohs(address.sin_port)};
}

}  // namespace keelson::net::testing

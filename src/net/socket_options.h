// What every TCP connection is set to, whichever side opened it.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>

namespace keelson::net {

// Small writes go out at once. The kernel probes a peer that was silent for `idle`, and ends the connection
// after four probes without an answer: nothing else notices a peer that vanished while nobody writes.
inline void ConfigureTcp(int fd, std::chrono::seconds idle) {
  const int on = 1, idle_seconds = static_cast<int>(idle.count()), interval_seconds = 15, probes = 4;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof(idle_seconds));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof(interval_seconds));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

}  // namespace keelson::net

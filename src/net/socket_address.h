// Addresses of sockets as text.
#pragma once

#include <sys/socket.h>

#include <string>
#include <utility>

namespace keelson::net {

// The address in words and the port; an IPv4 client of a dual-stack socket reads as IPv4.
std::pair<std::string, int> Describe(const sockaddr_storage& storage);

// Where the peer of a connected socket has come to; empty: it is not known.
std::string LocalAddress(int fd);

}  // namespace keelson::net

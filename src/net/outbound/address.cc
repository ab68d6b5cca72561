#include "net/outbound/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace keelson::net::outbound {
namespace {

const sockaddr_in& V4(const Address& a) { return reinterpret_cast<const sockaddr_in&>(a.storage); }
const sockaddr_in6& V6(const Address& a) { return reinterpret_cast<const sockaddr_in6&>(a.storage); }

// The IPv4 address, also of an IPv6 address that stands for one.
std::optional<uint32_t> AsV4(const Address& a) {
  if (a.storage.ss_family == AF_INET) return ntohl(V4(a).sin_addr.s_addr);
  const in6_addr& ip = V6(a).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&ip)) return std::nullopt;
  uint32_t v4 = 0;
  std::memcpy(&v4, ip.s6_addr + 12, sizeof(v4));
  return ntohl(v4);
}

bool IsLoopbackV4(uint32_t ip) { return ip >> 24 == 127; }

bool IsGlobalV4(uint32_t ip) {
  const bool multicast = ip >> 28 == 14;
  if (ip == 0 || ip == 0xffffffff || IsLoopbackV4(ip) || multicast) return false;
  return ip >> 16 != 0xa9fe;  // 169.254, link-local
}

}  // namespace

std::optional<Address> Address::Parse(const std::string& ip) {
  Address address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
    address.storage.ss_family = AF_INET;
    address.size = sizeof(v4);
  } else if (inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
    address.storage.ss_family = AF_INET6;
    address.size = sizeof(v6);
  } else {
    return std::nullopt;
  }
  return address;
}

std::string Address::Ip() const {
  char text[INET6_ADDRSTRLEN] = "";
  const bool v4 = storage.ss_family == AF_INET;
  inet_ntop(storage.ss_family, v4 ? static_cast<const void*>(&V4(*this).sin_addr) : &V6(*this).sin6_addr,
            text, sizeof(text));
  return text;
}

std::string Address::ToString() const {
  const bool v4 = storage.ss_family == AF_INET;
  const std::string port = std::to_string(ntohs(v4 ? V4(*this).sin_port : V6(*this).sin6_port));
  return v4 ? Ip() + ":" + port : "[" + Ip() + "]:" + port;
}

bool Address::IsGlobalUnicast() const {
  if (const auto v4 = AsV4(*this)) return IsGlobalV4(*v4);
  const in6_addr& ip = V6(*this).sin6_addr;
  return !IN6_IS_ADDR_UNSPECIFIED(&ip) && !IN6_IS_ADDR_LOOPBACK(&ip) && !IN6_IS_ADDR_MULTICAST(&ip) &&
         !IN6_IS_ADDR_LINKLOCAL(&ip);
}

bool Address::IsLoopback() const {
  if (const auto v4 = AsV4(*this)) return IsLoopbackV4(*v4);
  return IN6_IS_ADDR_LOOPBACK(&V6(*this).sin6_addr);
}

}  // namespace keelson::net::outbound

#include "app/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace keelson::app {
namespace {

struct Ip {
  int family = AF_INET;
  std::array<unsigned char, 16> bytes{};
  size_t size() const { return family == AF_INET ? 4 : 16; }
};

std::optional<Ip> Parse(std::string_view text) {
  const std::string s(text);
  Ip ip;
  if (::inet_pton(AF_INET, s.c_str(), ip.bytes.data()) == 1) return ip;
  ip.family = AF_INET6;
  if (::inet_pton(AF_INET6, s.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

std::string ToString(const Ip& ip) {
  char buf[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(ip.family, ip.bytes.data(), buf, sizeof buf);
  return buf;
}

}  // namespace

bool IsIpAddress(std::string_view text) { return Parse(text).has_value(); }

bool IsUnspecified(std::string_view text) {
  const auto ip = Parse(text);
  return ip && ip->bytes == std::array<unsigned char, 16>{};
}

base::Result<std::string, std::string> FirstServiceAddress(std::string_view ranges) {
  const std::string_view range = ranges.substr(0, ranges.find(','));
  const auto invalid = [&] { return base::Err("invalid CIDR address: " + std::string(range)); };
  const size_t slash = range.find('/');
  if (slash == std::string_view::npos) return invalid();
  auto ip = Parse(range.substr(0, slash));
  const std::string_view bits_text = range.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(bits_text.begin(), bits_text.end(), bits);
  if (!ip || error != std::errc() || end != bits_text.end() || bits > ip->size() * 8) return invalid();
  if (bits + 2 > ip->size() * 8)
    return base::Err("service range " + std::string(range) + " has no room for addresses");
  for (size_t bit = bits; bit < ip->size() * 8; ++bit)
    ip->bytes[bit / 8] &= static_cast<unsigned char>(~(0x80 >> bit % 8));
  ip->bytes[ip->size() - 1] |= 1;
  return ToString(*ip);
}

std::string DefaultInterfaceAddress() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (const ifaddrs* i = list; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
    if (!(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK)) continue;
    Ip ip;
    std::memcpy(ip.bytes.data(), &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, 4);
    return ToString(ip);
  }
  return "127.0.0.1";
}

std::string HostPort(std::string_view host, unsigned port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return (v6 ? "[" : "") + std::string(host) + (v6 ? "]:" : ":") + std::to_string(port);
}

std::string AdvertisedHost(const Config& config) {
  return config.external_hostname.empty() ? AdvertisedAddress(config) : config.external_hostname;
}

std::string AdvertisedAddress(const Config& config) {
  if (!config.advertise_address.empty()) return config.advertise_address;
  return IsUnspecified(config.bind_address) ? DefaultInterfaceAddress() : config.bind_address;
}

std::string EndpointAddress(const Config& config) {
  const auto usable = [](const std::string& address) {
    return !address.empty() && !IsUnspecified(address) && address != "::1" && !address.starts_with("127.");
  };
  for (const std::string& address :
       {config.advertise_address, config.bind_address, DefaultInterfaceAddress()})
    if (usable(address)) return address;
  return {};
}

std::string HostName() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace keelson::app

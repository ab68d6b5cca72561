// IP addresses as text: what the composition root needs to know of them.
#pragma once

#include <string>
#include <string_view>

#include "app/config.h"
#include "base/result.h"

namespace keelson::app {

bool IsIpAddress(std::string_view text);
bool IsUnspecified(std::string_view ip);  // 0.0.0.0 or ::

// The first address in a CIDR after the network's own ("10.0.0.0/24" → "10.0.0.1"); of
// several, separated by commas, that of the first.
base::Result<std::string, std::string> FirstServiceAddress(std::string_view ranges);

// The address of the first interface that is up and not the loopback; 127.0.0.1 without one.
std::string DefaultInterfaceAddress();

// "host:port", an IPv6 address in brackets.
std::string HostPort(std::string_view host, unsigned port);

// What others reach this server by: --advertise-address, or what it listens on.
std::string AdvertisedAddress(const Config& config);
// The host in URLs that clients are given: --external-hostname, else the advertised address.
std::string AdvertisedHost(const Config& config);
// The address that goes into endpoints, which can be no loopback; empty when there is none.
std::string EndpointAddress(const Config& config);

// The name of this machine; empty when it has none.
std::string HostName();

}  // namespace keelson::app

// IP addresses and CIDR blocks in object fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/validation/field.h"

namespace keelson::api {

// An address as it was written. Leading zeros and IPv4-mapped IPv6 are read, so that a
// caller can tell them from nonsense.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};  // IPv4 as ::ffff:a.b.c.d
  bool written_as_v4 = false;       // no colon in the text
  bool leading_zeros = false;       // digits that other parsers refuse or read as octal

  // IPv4, however it was written.
  bool is_v4() const;
  bool unspecified() const;
  bool loopback() const;
  bool link_local_unicast() const;
  bool link_local_multicast() const;
  // RFC 5952; IPv4-mapped addresses as IPv4.
  std::string ToString() const;
};
std::optional<IpAddress> ParseIp(std::string_view text);

struct Cidr {
  IpAddress address;
  int prefix_length = 0;       // of 32 when address.written_as_v4, else of 128
  bool leading_zeros = false;  // in the prefix length
  bool bits_beyond_prefix() const;
  bool is_v4() const { return address.written_as_v4; }
  // The address with all bits beyond the prefix cleared.
  IpAddress network() const;
  // Whether `ip` is of the same family and starts with the prefix.
  bool Contains(const IpAddress& ip) const;
  // The network in its canonical form, "10.0.0.0/24".
  std::string ToString() const;
};
std::optional<Cidr> ParseCidr(std::string_view text);

// For fields older than strict checks: any valid address in any notation, but no leading
// zeros and no IPv4-mapped IPv6.
field::ErrorList ValidateIp(const field::Path& path, std::string_view value);
field::ErrorList ValidateCidr(const field::Path& path, std::string_view value);

// For newer fields: the canonical notation and no other.
field::ErrorList ValidateCanonicalIp(const field::Path& path, std::string_view value);
field::ErrorList ValidateCanonicalCidr(const field::Path& path, std::string_view value);

// What a client should know of an address that is not in its usual notation.
std::optional<std::string> WarningForIp(const field::Path& path, std::string_view value);
std::vector<std::string> WarningsForCidr(const field::Path& path, std::string_view value);

}  // namespace keelson::api

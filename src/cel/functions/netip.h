// IP addresses and prefixes as Go's netip reads and writes them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::cel {

struct NetAddress {
  bool v4 = false;
  std::array<uint8_t, 16> bytes{};  // IPv4 in the last four
  std::string zone;

  bool IsMappedV4() const;
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
  std::string ToString() const;
  // With all but the first `bits` cleared.
  NetAddress Masked(int bits) const;
  bool operator==(const NetAddress&) const = default;
};
base::Result<NetAddress, std::string> ParseNetAddress(std::string_view text);

struct NetPrefix {
  NetAddress address;
  int bits = 0;
  bool Contains(const NetAddress& a) const {
    return a.v4 == address.v4 && a.Masked(bits) == address.Masked(bits);
  }
  std::string ToString() const { return address.ToString() + "/" + std::to_string(bits); }
};
base::Result<NetPrefix, std::string> ParseNetPrefix(std::string_view text);

}  // namespace keelson::cel

#include "api/validation/ip.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "api/validation/quote.h"

namespace keelson::api {
namespace {

constexpr size_t kV4Offset = 12;  // where the four bytes of a mapped address stand

// A run of digits at the start of `s`.
struct Number {
  uint32_t value = 0;
  size_t digits = 0;  // 0: no number, or one over the limit
};

Number ReadNumber(std::string_view s, int base, uint32_t limit) {
  Number n;
  for (char c : s) {
    const int digit = c >= '0' && c <= '9'                 ? c - '0'
                      : base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : base == 16 && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                           : -1;
    if (digit < 0) break;
    n.value = n.value * base + digit;
    if (n.value > limit) return {};
    ++n.digits;
  }
  return n;
}

// Reads dotted decimal that makes up all of `s`.
bool ParseV4(std::string_view s, std::span<uint8_t, 4> out, bool& leading_zeros) {
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0) {
      if (!s.starts_with('.')) return false;
      s.remove_prefix(1);
    }
    const Number n = ReadNumber(s, 10, 255);
    if (n.digits == 0) return false;
    leading_zeros |= n.digits > 1 && s.front() == '0';
    out[i] = static_cast<uint8_t>(n.value);
    s.remove_prefix(n.digits);
  }
  return s.empty();
}

std::optional<IpAddress> ParseV4Address(std::string_view s) {
  IpAddress ip;
  ip.written_as_v4 = true;
  ip.bytes[10] = ip.bytes[11] = 0xff;
  if (!ParseV4(s, std::span(ip.bytes).last<4>(), ip.leading_zeros)) return std::nullopt;
  return ip;
}

std::optional<IpAddress> ParseV6Address(std::string_view s) {
  IpAddress ip;
  size_t filled = 0;               // bytes read so far
  std::optional<size_t> ellipsis;  // where "::" stands
  if (s.starts_with("::")) {
    ellipsis = 0;
    s.remove_prefix(2);
  }
  while (!s.empty() && filled < ip.bytes.size()) {
    const Number group = ReadNumber(s, 16, 0xffff);
    if (group.digits == 0) return std::nullopt;
    if (group.digits < s.size() && s[group.digits] == '.') {
      if (filled > kV4Offset || (!ellipsis && filled != kV4Offset)) return std::nullopt;
      if (!ParseV4(s, std::span<uint8_t, 4>(ip.bytes.data() + filled, 4), ip.leading_zeros))
        return std::nullopt;
      filled += 4;
      s = {};
      break;
    }
    ip.leading_zeros |= group.digits > 4;
    ip.bytes[filled++] = static_cast<uint8_t>(group.value >> 8);
    ip.bytes[filled++] = static_cast<uint8_t>(group.value);
    s.remove_prefix(group.digits);
    if (s.empty()) break;
    if (s.front() != ':' || s.size() == 1) return std::nullopt;
    s.remove_prefix(1);
    if (s.front() == ':') {
      if (ellipsis) return std::nullopt;
      ellipsis = filled;
      s.remove_prefix(1);
    }
  }
  if (!s.empty()) return std::nullopt;
  const bool full = filled == ip.bytes.size();
  if (full == ellipsis.has_value()) return std::nullopt;  // "::" stands for at least one group
  if (!full) {
    const auto from = ip.bytes.begin() + *ellipsis;
    std::rotate(from, ip.bytes.begin() + filled, ip.bytes.end());
  }
  return ip;
}

void AppendDotted(std::span<const uint8_t> four, std::string& out) {
  for (size_t i = 0; i < four.size(); ++i) {
    if (i > 0) out += '.';
    out += std::to_string(four[i]);
  }
}

// The longest run of two or more zero groups: [first, last), the first of equals.
std::pair<int, int> ZeroRun(const std::array<uint16_t, 8>& groups) {
  std::pair<int, int> best{-1, -1};
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && groups[j] == 0) ++j;
    if (j - i >= 2 && j - i > best.second - best.first) best = {i, j};
    if (j > i) i = j;
  }
  return best;
}

}  // namespace

bool IpAddress::is_v4() const {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

bool IpAddress::unspecified() const {
  const auto from = bytes.begin() + (is_v4() ? kV4Offset : 0);
  return std::all_of(from, bytes.end(), [](uint8_t b) { return b == 0; });
}

bool IpAddress::loopback() const {
  if (is_v4()) return bytes[kV4Offset] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; }) && bytes[15] == 1;
}

bool IpAddress::link_local_unicast() const {
  if (is_v4()) return bytes[kV4Offset] == 169 && bytes[kV4Offset + 1] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool IpAddress::link_local_multicast() const {
  if (is_v4()) return bytes[kV4Offset] == 224 && bytes[kV4Offset + 1] == 0 && bytes[kV4Offset + 2] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02;
}

std::string IpAddress::ToString() const {
  std::string out;
  if (is_v4()) {
    AppendDotted(std::span(bytes).last<4>(), out);
    return out;
  }
  std::array<uint16_t, 8> groups;
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  }
  const auto [first, last] = ZeroRun(groups);
  for (int i = 0; i < 8; ++i) {
    if (i == first) {
      out += "::";
      i = last;
      if (i == 8) break;
    } else if (i > 0) {
      out += ':';
    }
    char hex[4];
    out.append(hex, std::to_chars(hex, hex + 4, groups[i], 16).ptr);
  }
  return out;
}

std::optional<IpAddress> ParseIp(std::string_view text) {
  const size_t separator = text.find_first_of(".:");
  if (separator == text.npos) return std::nullopt;
  return text[separator] == '.' ? ParseV4Address(text) : ParseV6Address(text);
}

bool Cidr::bits_beyond_prefix() const {
  const size_t first_bit = prefix_length + (address.written_as_v4 ? 96 : 0);
  for (size_t bit = first_bit; bit < 128; ++bit) {
    if (address.bytes[bit / 8] & (0x80 >> (bit % 8))) return true;
  }
  return false;
}

IpAddress Cidr::network() const {
  IpAddress out = address;
  out.leading_zeros = false;
  for (size_t bit = prefix_length + (is_v4() ? 96 : 0); bit < 128; ++bit) {
    out.bytes[bit / 8] &= static_cast<uint8_t>(~(0x80 >> (bit % 8)));
  }
  return out;
}

bool Cidr::Contains(const IpAddress& ip) const {
  if (is_v4() != ip.is_v4()) return false;
  Cidr around{ip, prefix_length};
  around.address.written_as_v4 = is_v4();  // says what the prefix length counts from
  return around.network().bytes == network().bytes;
}

std::string Cidr::ToString() const { return network().ToString() + "/" + std::to_string(prefix_length); }

std::optional<Cidr> ParseCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const std::string_view length = text.substr(slash + 1);
  const auto address = ParseIp(text.substr(0, slash));
  if (!address) return std::nullopt;
  const Number n = ReadNumber(length, 10, address->written_as_v4 ? 32 : 128);
  if (n.digits == 0 || n.digits != length.size()) return std::nullopt;
  return Cidr{*address, static_cast<int>(n.value), n.digits > 1 && length.front() == '0'};
}

field::ErrorList ValidateIp(const field::Path& path, std::string_view value) {
  field::ErrorList errors;
  const auto refuse = [&](std::string_view why) {
    errors.Add(field::Invalid(path, field::RenderValue(value), why));
  };
  const auto ip = ParseIp(value);
  if (!ip) {
    refuse("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  } else if (ip->leading_zeros) {
    refuse("must not have leading 0s");
  } else if (ip->is_v4() && !ip->written_as_v4) {
    refuse("must not be an IPv4-mapped IPv6 address");
  }
  return errors;
}

field::ErrorList ValidateCidr(const field::Path& path, std::string_view value) {
  field::ErrorList errors;
  const auto refuse = [&](std::string_view why) {
    errors.Add(field::Invalid(path, field::RenderValue(value), why));
  };
  const auto cidr = ParseCidr(value);
  if (!cidr) {
    refuse("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  } else if (cidr->leading_zeros || cidr->address.leading_zeros) {
    refuse("must not have leading 0s in IP or prefix length");
  } else if (cidr->address.is_v4() && !cidr->address.written_as_v4) {
    refuse("must not have an IPv4-mapped IPv6 address");
  } else if (cidr->bits_beyond_prefix()) {
    refuse("must not have bits set beyond the prefix length");
  }
  return errors;
}

field::ErrorList ValidateCanonicalIp(const field::Path& path, std::string_view value) {
  field::ErrorList errors = ValidateIp(path, value);
  if (!errors.empty()) return errors;
  const std::string canonical = ParseIp(value)->ToString();
  if (value != canonical) {
    errors.Add(field::Invalid(path, field::RenderValue(value),
                              "must be in canonical form (" + Quoted(canonical) + ")"));
  }
  return errors;
}

field::ErrorList ValidateCanonicalCidr(const field::Path& path, std::string_view value) {
  field::ErrorList errors = ValidateCidr(path, value);
  if (!errors.empty()) return errors;
  const std::string canonical = ParseCidr(value)->ToString();
  if (value != canonical) {
    errors.Add(field::Invalid(path, field::RenderValue(value),
                              "must be in canonical form (" + Quoted(canonical) + ")"));
  }
  return errors;
}

std::optional<std::string> WarningForIp(const field::Path& path, std::string_view value) {
  const auto ip = ParseIp(value);
  if (!ip) return std::nullopt;
  if (ip->leading_zeros || (ip->is_v4() && !ip->written_as_v4)) {
    return path.ToString() + ": non-standard IP address " + Quoted(value) + " is invalid: use " +
           Quoted(ip->ToString());
  }
  if (!ip->is_v4() && ip->ToString() != value) {
    return path.ToString() + ": IPv6 address " + Quoted(value) + " should be in RFC 5952 canonical format (" +
           Quoted(ip->ToString()) + ")";
  }
  return std::nullopt;
}

std::vector<std::string> WarningsForCidr(const field::Path& path, std::string_view value) {
  std::vector<std::string> warnings;
  const auto cidr = ParseCidr(value);
  if (!cidr) return warnings;
  const std::string where = path.ToString();
  if (cidr->bits_beyond_prefix()) {
    const std::string single = cidr->address.ToString() + (cidr->is_v4() ? "/32" : "/128");
    warnings.push_back(where + ": CIDR value " + Quoted(value) + " is ambiguous in this context (should be " +
                       Quoted(cidr->ToString()) + " or " + Quoted(single) + "?)");
  }
  const bool mapped = cidr->address.is_v4() && !cidr->address.written_as_v4;
  if (cidr->leading_zeros || cidr->address.leading_zeros || mapped) {
    warnings.push_back(where + ": non-standard CIDR value " + Quoted(value) + " is invalid: use " +
                       Quoted(cidr->ToString()));
  }
  if (warnings.empty() && !cidr->is_v4() && cidr->ToString() != value) {
    warnings.push_back(where + ": IPv6 CIDR value " + Quoted(value) +
                       " should be in RFC 5952 canonical format (" + Quoted(cidr->ToString()) + ")");
  }
  return warnings;
}

}  // namespace keelson::api

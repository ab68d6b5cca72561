#include "cel/functions/netip.h"

#include <arpa/inet.h>

#include <algorithm>

#include "api/validation/quote.h"
#include "base/ascii.h"

namespace keelson::cel {
namespace {

// Why a text is no address, and where.
struct Why {
  std::string message;
  std::string_view at;
  bool failed() const { return !message.empty(); }
};

Why ReadV4(std::string_view text, uint8_t* out) {
  int value = 0, field = 0, digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) return {"IPv4 field has octet with leading zero", {}};
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return {"IPv4 field has value >255", {}};
    } else if (c == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.')
        return {"IPv4 field must have at least one digit", text.substr(i)};
      if (field == 3) return {"IPv4 address too long", {}};
      out[field++] = static_cast<uint8_t>(value);
      value = digits = 0;
    } else {
      return {"unexpected character", text.substr(i)};
    }
  }
  if (field < 3) return {"IPv4 address too short", {}};
  out[3] = static_cast<uint8_t>(value);
  return {};
}

Why ReadV6(std::string_view text, NetAddress& address) {
  if (const size_t percent = text.find('%'); percent != std::string_view::npos) {
    address.zone = std::string(text.substr(percent + 1));
    text = text.substr(0, percent);
    if (address.zone.empty()) return {"zone must be a non-empty string", {}};
  }
  int ellipsis = -1;
  std::string_view s = text;
  if (s.starts_with("::")) {
    ellipsis = 0;
    s.remove_prefix(2);
    if (s.empty()) return {};
  }
  int i = 0;
  while (i < 16) {
    size_t digits = 0;
    uint32_t value = 0;
    for (; digits < s.size() && base::HexValue(s[digits]) >= 0; ++digits) {
      value = value << 4 | static_cast<uint32_t>(base::HexValue(s[digits]));
      if (digits > 3) return {"each group must have 4 or less digits", s};
      if (value > 0xFFFF) return {"IPv6 field has value >=2^16", s};
    }
    if (digits == 0) return {"each colon-separated field must have at least one digit", s};
    if (digits < s.size() && s[digits] == '.') {
      if (ellipsis < 0 && i != 12)
        return {"embedded IPv4 address must replace the final 2 fields of the address", s};
      if (i + 4 > 16) return {"too many hex fields to fit an embedded IPv4 at the end of the address", s};
      if (Why why = ReadV4(s, address.bytes.data() + i); why.failed()) return {why.message, why.at};
      s = {};
      i += 4;
      break;
    }
    address.bytes[i] = static_cast<uint8_t>(value >> 8);
    address.bytes[i + 1] = static_cast<uint8_t>(value);
    i += 2;
    s.remove_prefix(digits);
    if (s.empty()) break;
    if (s[0] != ':') return {"unexpected character, want colon", s};
    if (s.size() == 1) return {"colon must be followed by more characters", s};
    s.remove_prefix(1);
    if (s[0] == ':') {
      if (ellipsis >= 0) return {"multiple :: in address", s};
      ellipsis = i;
      s.remove_prefix(1);
      if (s.empty()) break;
    }
  }
  if (!s.empty()) return {"trailing garbage after address", s};
  if (i < 16) {
    if (ellipsis < 0) return {"address string too short", {}};
    const int missing = 16 - i;
    std::copy_backward(address.bytes.begin() + ellipsis, address.bytes.begin() + i, address.bytes.end());
    std::fill_n(address.bytes.begin() + ellipsis, missing, uint8_t{0});
  } else if (ellipsis >= 0) {
    return {"the :: must expand to at least one field of zeros", {}};
  }
  return {};
}

}  // namespace

bool NetAddress::IsMappedV4() const {
  return !v4 && std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xFF && bytes[11] == 0xFF;
}
bool NetAddress::IsUnspecified() const {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}
bool NetAddress::IsLoopback() const {
  if (v4) return bytes[12] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; }) && bytes[15] == 1;
}
bool NetAddress::IsLinkLocalMulticast() const {
  return v4 ? bytes[12] == 224 && bytes[13] == 0 && bytes[14] == 0
            : bytes[0] == 0xFF && (bytes[1] & 0x0F) == 2;
}
bool NetAddress::IsLinkLocalUnicast() const {
  return v4 ? bytes[12] == 169 && bytes[13] == 254 : bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}
bool NetAddress::IsGlobalUnicast() const {
  const bool multicast = v4 ? (bytes[12] & 0xF0) == 0xE0 : bytes[0] == 0xFF;
  const bool broadcast = v4 && bytes[12] == 255 && bytes[13] == 255 && bytes[14] == 255 && bytes[15] == 255;
  return !IsUnspecified() && !broadcast && !IsLoopback() && !multicast && !IsLinkLocalUnicast();
}

std::string NetAddress::ToString() const {
  if (v4)
    return std::to_string(bytes[12]) + "." + std::to_string(bytes[13]) + "." + std::to_string(bytes[14]) +
           "." + std::to_string(bytes[15]);
  // The longest run of two or more zero groups is left out, the first of equals.
  int best = -1, best_size = 1;
  for (int i = 0; i < 8;) {
    int end = i;
    while (end < 8 && bytes[2 * end] == 0 && bytes[2 * end + 1] == 0) ++end;
    if (end - i > best_size) {
      best = i;
      best_size = end - i;
    }
    i = end + 1;
  }
  std::string text;
  for (int i = 0; i < 8; ++i) {
    if (i == best) {
      text += "::";
      i += best_size - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    char group[8];
    std::snprintf(group, sizeof group, "%x", bytes[2 * i] << 8 | bytes[2 * i + 1]);
    text += group;
  }
  return zone.empty() ? text : text + "%" + zone;
}

NetAddress NetAddress::Masked(int bits) const {
  NetAddress masked = *this;
  const int start = v4 ? 96 : 0;
  for (int i = start + bits; i < 128; ++i) masked.bytes[i / 8] &= static_cast<uint8_t>(~(0x80 >> i % 8));
  return masked;
}

base::Result<NetAddress, std::string> ParseNetAddress(std::string_view text) {
  const auto fail = [&](const Why& why) {
    std::string message = "ParseAddr(" + api::Quoted(text) + "): " + why.message;
    if (!why.at.empty()) message += " (at " + api::Quoted(why.at) + ")";
    return base::Err(std::move(message));
  };
  NetAddress address;
  for (const char c : text) {
    if (c == '.') {
      address.v4 = true;
      if (const Why why = ReadV4(text, address.bytes.data() + 12); why.failed()) return fail(why);
      return address;
    }
    if (c == ':') {
      if (const Why why = ReadV6(text, address); why.failed()) return fail(why);
      return address;
    }
    if (c == '%') return fail({"missing IPv6 address", {}});
  }
  return fail({"unable to parse IP", {}});
}

base::Result<NetPrefix, std::string> ParseNetPrefix(std::string_view text) {
  const auto fail = [&](const std::string& why) {
    return base::Err("netip.ParsePrefix(" + api::Quoted(text) + "): " + why);
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  auto address = ParseNetAddress(text.substr(0, slash));
  if (!address) return fail(address.error());
  if (!address->zone.empty()) return fail("IPv6 zones cannot be present in a prefix");
  const std::string_view bits = text.substr(slash + 1);
  const bool digits = !bits.empty() && bits.size() <= 3 &&
                      std::ranges::all_of(bits, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (bits.size() > 1 && bits[0] == '0'))
    return fail("bad bits after slash: " + api::Quoted(bits));
  int length = 0;
  for (const char c : bits) length = length * 10 + (c - '0');
  if (length > (address->v4 ? 32 : 128)) return fail("prefix length out of range");
  return NetPrefix{std::move(*address), length};
}

}  // namespace keelson::cel

#include "api/codec/base64.h"

#include <array>
#include <cstdint>

namespace keelson::api {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kInvalid = 0xff;

constexpr auto kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kInvalid);
  for (uint8_t i = 0; i < 64; ++i) digits[static_cast<unsigned char>(kAlphabet[i])] = i;
  return digits;
}();

uint8_t Digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }
bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

std::unexpected<std::string> IllegalAt(size_t i) {
  return base::Err("illegal base64 data at input byte " + std::to_string(i));
}

}  // namespace

char* Base64Encode(std::string_view bytes, char* out) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t n = bytes.size();
  for (; n >= 3; n -= 3, p += 3) {
    const uint32_t v = static_cast<uint32_t>(p[0]) << 16 | static_cast<uint32_t>(p[1]) << 8 | p[2];
    *out++ = kAlphabet[v >> 18];
    *out++ = kAlphabet[v >> 12 & 63];
    *out++ = kAlphabet[v >> 6 & 63];
    *out++ = kAlphabet[v & 63];
  }
  if (n == 0) return out;
  const uint32_t v = static_cast<uint32_t>(p[0]) << 16 | (n == 2 ? static_cast<uint32_t>(p[1]) << 8 : 0);
  *out++ = kAlphabet[v >> 18];
  *out++ = kAlphabet[v >> 12 & 63];
  *out++ = n == 2 ? kAlphabet[v >> 6 & 63] : '=';
  *out++ = '=';
  return out;
}

base::Result<size_t, std::string> Base64Decode(std::string_view s, char* out) {
  char* const begin = out;
  size_t i = 0;
  for (;;) {
    // Whole groups of plain digits.
    while (s.size() - i >= 4) {
      const uint8_t a = Digit(s[i]), b = Digit(s[i + 1]), c = Digit(s[i + 2]), d = Digit(s[i + 3]);
      if ((a | b | c | d) & 0x80) break;
      const uint32_t v =
          static_cast<uint32_t>(a) << 18 | static_cast<uint32_t>(b) << 12 | static_cast<uint32_t>(c) << 6 | d;
      *out++ = static_cast<char>(v >> 16);
      *out++ = static_cast<char>(v >> 8);
      *out++ = static_cast<char>(v);
      i += 4;
    }
    // A group with line breaks or padding, or the end.
    uint32_t v = 0;
    size_t digits = 0;
    while (digits < 4) {
      if (i == s.size()) {
        if (digits == 0) return static_cast<size_t>(out - begin);
        return IllegalAt(i - digits);
      }
      const char c = s[i++];
      if (Digit(c) != kInvalid) {
        v = v << 6 | Digit(c);
        ++digits;
        continue;
      }
      if (IsLineBreak(c)) continue;
      if (c != '=' || digits < 2) return IllegalAt(i - 1);
      break;
    }
    if (digits == 4) {
      *out++ = static_cast<char>(v >> 16);
      *out++ = static_cast<char>(v >> 8);
      *out++ = static_cast<char>(v);
      continue;
    }
    if (digits == 2) {
      while (i < s.size() && IsLineBreak(s[i])) ++i;
      if (i == s.size()) return IllegalAt(i);
      if (s[i] != '=') return IllegalAt(i - 1);
      ++i;
    }
    while (i < s.size() && IsLineBreak(s[i])) ++i;
    if (i < s.size()) return IllegalAt(i);
    *out++ = static_cast<char>(v >> (digits == 2 ? 4 : 10));
    if (digits == 3) *out++ = static_cast<char>(v >> 2);
    return static_cast<size_t>(out - begin);
  }
}

}  // namespace keelson::api

#include "api/validation/quote.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "api/validation/unprintable.h"

namespace keelson::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void AppendHex(uint32_t value, int digits, std::string& out, std::string_view alphabet = kHex) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += alphabet[(value >> shift) & 0xf];
}

void AppendEscaped(const Rune& rune, std::string_view bytes, std::string& out) {
  if (!rune.valid || rune.value < 0x20 || rune.value == 0x7f) {
    out += "\\x";
    AppendHex(static_cast<unsigned char>(bytes[0]), 2, out);
  } else if (rune.value < 0x10000) {
    out += "\\u";
    AppendHex(rune.value, 4, out);
  } else {
    out += "\\U";
    AppendHex(rune.value, 8, out);
  }
}

}  // namespace

Rune FirstRune(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xc2 || lead > 0xf4) return {lead, 1, false};
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (s.size() < size) return {lead, 1, false};
  uint32_t value = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[size] || value > 0x10ffff || surrogate) return {lead, 1, false};
  return {value, size, true};
}

bool IsPrintable(uint32_t rune) {
  if (rune < 0x7f) return rune >= 0x20;
  const auto* after = std::ranges::upper_bound(kUnprintable, rune, {}, &RuneRange::first);
  return rune > std::prev(after)->last;
}

std::string CodePointName(uint32_t rune) {
  std::string out = "U+";
  AppendHex(rune, rune > 0xfffff ? 6 : rune > 0xffff ? 5 : 4, out, "0123456789ABCDEF");
  return out;
}

void AppendQuoted(std::string_view s, std::string& out) {
  constexpr std::string_view kNamed("\a\b\f\n\r\t\v\\\"");
  constexpr std::string_view kLetters("abfnrtv\\\"");
  out += '"';
  while (!s.empty()) {
    const Rune rune = FirstRune(s);
    if (size_t named = rune.size == 1 ? kNamed.find(s[0]) : kNamed.npos; named != kNamed.npos) {
      out += '\\';
      out += kLetters[named];
    } else if (rune.valid && IsPrintable(rune.value)) {
      out += s.substr(0, rune.size);
    } else {
      AppendEscaped(rune, s, out);
    }
    s.remove_prefix(rune.size);
  }
  out += '"';
}

std::string Quoted(std::string_view s) {
  std::string out;
  out.reserve(s.size() + 2);
  AppendQuoted(s, out);
  return out;
}

}  // namespace keelson::api

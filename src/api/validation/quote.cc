#include "api/validation/quote.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace keelson::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

struct RuneRange {
  uint32_t first, last;
};

// Controls, separators, format characters, surrogates, private use: sorted.
constexpr RuneRange kUnprintable[] = {
    {0x0000, 0x001f},   {0x007f, 0x00a0},   {0x00ad, 0x00ad},     {0x0600, 0x0605},     {0x061c, 0x061c},
    {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},     {0x08e2, 0x08e2},     {0x1680, 0x1680},
    {0x180e, 0x180e},   {0x2000, 0x200f},   {0x2028, 0x202f},     {0x205f, 0x206f},     {0x3000, 0x3000},
    {0xd800, 0xf8ff},   {0xfeff, 0xfeff},   {0xfff0, 0xfffb},     {0xfffe, 0xffff},     {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},   {0x1d173, 0x1d17a},   {0xe0000, 0xe007f},
    {0xf0000, 0xffffd}, {0xffffe, 0xfffff}, {0x100000, 0x10ffff},
};

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

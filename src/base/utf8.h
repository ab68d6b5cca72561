// Code points of UTF-8 text, as Go decodes and encodes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::base {

struct Rune {
  char32_t value;
  size_t size;  // bytes
};

constexpr char32_t kReplacement = 0xFFFD;

// Requires: at < text.size(). What is not UTF-8 reads as one replacement character a byte.
inline Rune DecodeRune(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return {kReplacement, 1};
  char32_t rune = first & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
    rune = rune << 6 | (byte(i) & 0x3F);
  }
  const bool wrong = (size == 3 && (rune < 0x800 || (rune >= 0xD800 && rune < 0xE000))) ||
                     (size == 4 && (rune < 0x10000 || rune > 0x10FFFF));
  return wrong ? Rune{kReplacement, 1} : Rune{rune, size};
}

inline bool IsValidRune(char32_t rune) { return rune < 0xD800 || (rune >= 0xE000 && rune <= 0x10FFFF); }

inline void AppendRune(char32_t rune, std::string& out) {
  if (!IsValidRune(rune)) rune = kReplacement;
  if (rune < 0x80) {
    out.push_back(static_cast<char>(rune));
  } else if (rune < 0x800) {
    out.push_back(static_cast<char>(0xC0 | rune >> 6));
    out.push_back(static_cast<char>(0x80 | (rune & 0x3F)));
  } else if (rune < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | rune >> 12));
    out.push_back(static_cast<char>(0x80 | (rune >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (rune & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | rune >> 18));
    out.push_back(static_cast<char>(0x80 | (rune >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (rune >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (rune & 0x3F)));
  }
}

inline size_t CountRunes(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) i += DecodeRune(text, i).size;
  return count;
}

inline bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Rune rune = DecodeRune(text, i);
    if (rune.value == kReplacement && rune.size == 1) return false;
    i += rune.size;
  }
  return true;
}

}  // namespace keelson::base

// Tests of single ASCII characters, and Trimmed. A character beyond ASCII passes none of the tests.
#pragma once

#include <string_view>

namespace keelson::base {

constexpr bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsLetter(char32_t c) { return IsLower(c | 0x20); }

// -1: none.
constexpr int HexValue(char32_t c) {
  if (IsDigit(c)) return static_cast<int>(c - '0');
  const char32_t lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? static_cast<int>(lower - 'a') + 10 : -1;
}

// Without the blanks (and breaks of lines) before and after.
constexpr std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

}  // namespace keelson::base

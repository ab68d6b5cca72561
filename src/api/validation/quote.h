// Strings in messages, as Go prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::api {

// As Go's %q: double quotes, escapes for quotes, control and other unprintable characters,
// \xNN for bytes that are no UTF-8.
void AppendQuoted(std::string_view s, std::string& out);
std::string Quoted(std::string_view s);

// One code point of UTF-8 text.
struct Rune {
  uint32_t value = 0;
  size_t size = 0;     // bytes taken, at least 1
  bool valid = false;  // false: the first byte starts no well-formed sequence
};
// Requires: s is not empty.
Rune FirstRune(std::string_view s);

// Letters, marks, numbers, punctuation, symbols and the ASCII space.
bool IsPrintable(uint32_t rune);

// "U+200B".
std::string CodePointName(uint32_t rune);

}  // namespace keelson::api

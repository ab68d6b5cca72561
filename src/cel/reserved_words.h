// The words of the language that are no identifiers.
#pragma once

#include <algorithm>
#include <string_view>

namespace keelson::cel {

inline bool IsReservedWord(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "as",  "break", "const",   "continue",  "else", "false",  "for",  "function", "if",   "import", "in",
      "let", "loop",  "package", "namespace", "null", "return", "true", "var",      "void", "while"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

}  // namespace keelson::cel

#include "cel/literals.h"

#include "base/ascii.h"
#include "base/utf8.h"

namespace keelson::cel {
namespace {

std::string WithPlainBreaks(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      plain += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

constexpr std::string_view kSimple = "abfnrtv\\'\"`?";
constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v\\'\"`?";

// One escape; `rest` starts after the backslash and is moved past it.
base::Result<void, std::string> Unescape(std::string_view& rest, bool bytes, std::string& out) {
  const auto fail = [](const char* why) { return base::Err(std::string(why)); };
  if (rest.empty()) return fail("unable to unescape string, found '\\' as last character");
  const char c = rest[0];
  rest.remove_prefix(1);
  if (const size_t simple = kSimple.find(c); simple != std::string_view::npos) {
    out += kMeaning[simple];
    return {};
  }
  size_t digits = 0;
  uint32_t value = 0;
  if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
    digits = c == 'u' ? 4 : c == 'U' ? 8 : 2;
    if ((bytes && digits > 2) || rest.size() < digits) return fail("unable to unescape string");
    for (size_t i = 0; i < digits; ++i) {
      if (base::HexValue(rest[i]) < 0) return fail("unable to unescape string");
      value = value << 4 | static_cast<uint32_t>(base::HexValue(rest[i]));
    }
  } else if (c >= '0' && c <= '3') {
    digits = 2;
    if (rest.size() < digits) return fail("unable to unescape octal sequence in string");
    value = static_cast<uint32_t>(c - '0');
    for (size_t i = 0; i < digits; ++i) {
      if (rest[i] < '0' || rest[i] > '7') return fail("unable to unescape octal sequence in string");
      value = value * 8 + static_cast<uint32_t>(rest[i] - '0');
    }
  } else {
    return fail("unable to unescape string");
  }
  rest.remove_prefix(digits);
  if (bytes) {
    out += static_cast<char>(value);
    return {};
  }
  if (!base::IsValidRune(value)) return fail("invalid unicode code point");
  base::AppendRune(value, out);
  return {};
}

}  // namespace

base::Result<std::string, std::string> Unquote(std::string_view literal, bool bytes) {
  const std::string text = WithPlainBreaks(literal);
  std::string_view rest = text;
  const bool raw = rest.starts_with('r') || rest.starts_with('R');
  if (raw) rest.remove_prefix(1);
  const size_t quotes = rest.size() >= 6 && (rest.starts_with("'''") || rest.starts_with("\"\"\"")) ? 3 : 1;
  if (rest.size() < 2 * quotes) return base::Err(std::string("unable to unescape string"));
  rest = rest.substr(quotes, rest.size() - 2 * quotes);
  if (raw) return std::string(rest);
  std::string out;
  while (!rest.empty()) {
    const size_t escape = rest.find('\\');
    out.append(rest.substr(0, escape));
    if (escape == std::string_view::npos) break;
    rest.remove_prefix(escape + 1);
    TRY(Unescape(rest, bytes, out));
  }
  return out;
}

}  // namespace keelson::cel

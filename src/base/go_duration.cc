#include "base/go_duration.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "base/ascii.h"

namespace keelson::base {
namespace {

std::string Quote(std::string_view s) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const unsigned char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (c >= 0x20 && c < 0x7F) {
      out += static_cast<char>(c);
    } else {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  return out + '"';
}

std::optional<double> UnitNanoseconds(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  if (unit == "m") return 60e9;
  if (unit == "h") return 3600e9;
  return std::nullopt;
}

}  // namespace

Result<std::chrono::nanoseconds, std::string> ParseGoDuration(std::string_view text) {
  const auto invalid = [&] { return Err("time: invalid duration " + Quote(text)); };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return std::chrono::nanoseconds(0);
  if (rest.empty()) return invalid();

  long double total = 0;
  while (!rest.empty()) {
    long double value = 0, scale = 1;
    size_t digits = 0;
    for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1), ++digits)
      value = value * 10 + (rest[0] - '0');
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1), ++digits)
        value += (rest[0] - '0') * (scale /= 10);
    }
    if (digits == 0) return invalid();
    size_t n = 0;
    while (n < rest.size() && rest[n] != '.' && !IsDigit(rest[n])) ++n;
    if (n == 0) return Err("time: missing unit in duration " + Quote(text));
    const auto unit = UnitNanoseconds(rest.substr(0, n));
    if (!unit) return Err("time: unknown unit " + Quote(rest.substr(0, n)) + " in duration " + Quote(text));
    rest.remove_prefix(n);
    total += value * *unit;
    if (total > static_cast<long double>(std::numeric_limits<int64_t>::max())) return invalid();
  }
  const auto count = static_cast<int64_t>(total);
  return std::chrono::nanoseconds(negative ? -count : count);
}

}  // namespace keelson::base

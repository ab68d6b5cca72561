#include "cel/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "api/validation/quote.h"

namespace keelson::cel {
namespace {

std::string Special(double d) {
  if (std::isnan(d)) return "NaN";
  return std::isinf(d) ? (d < 0 ? "-Inf" : "+Inf") : "";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Go allows underscores only where the base comes with the number, which is not so here.
bool OnlyOf(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::string FormatG(double d) {
  if (const std::string special = Special(d); !special.empty()) return special;
  char buffer[64];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific);
  const std::string_view text(buffer, scientific.ptr - buffer);
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 6) return std::string(text);
  return FormatFixed(d);
}

std::string FormatFixed(double d) {
  if (const std::string special = Special(d); !special.empty()) return special;
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::fixed);
  return std::string(buffer, end.ptr);
}

std::string FormatFixed(double d, int precision) {
  if (const std::string special = Special(d); !special.empty()) return special;
  std::string text(400 + static_cast<size_t>(precision), '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.*f", precision, d)));
  return text;
}

std::string FormatExponent(double d, int precision) {
  if (const std::string special = Special(d); !special.empty()) return special;
  std::string text(64 + static_cast<size_t>(precision), '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.*e", precision, d)));
  return text;
}

std::optional<int64_t> ParseInt(std::string_view text, int base) {
  const bool signed_plus = text.starts_with('+');
  if (signed_plus) text.remove_prefix(1);
  if (signed_plus && text.starts_with('-')) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseUint(std::string_view text, int base) {
  uint64_t value = 0;
  if (text.starts_with('-')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseFloat(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string lower = Lower(text);
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = INFINITY;
  } else if (lower == "nan") {
    value = NAN;
  } else {
    const bool hex = lower.starts_with("0x");
    if (text.empty() || !OnlyOf(lower, hex ? "0123456789abcdefpx.+-" : "0123456789e.+-")) return std::nullopt;
    if (hex && lower.find('p') == std::string::npos) return std::nullopt;
    const char* const start = lower.data() + (hex ? 2 : 0);
    const auto [end, error] = std::from_chars(start, lower.data() + lower.size(), value,
                                              hex ? std::chars_format::hex : std::chars_format::general);
    if (end != lower.data() + lower.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
      // Too small reads as zero, too large is an error.
      const size_t e = lower.find(hex ? 'p' : 'e');
      if (e == std::string::npos || lower.find('-', e) == std::string::npos) return std::nullopt;
      value = 0;
    } else if (error != std::errc()) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"})
    if (text == no) return false;
  return std::nullopt;
}

std::string GoQuote(std::string_view text) { return api::Quoted(text); }

}  // namespace keelson::cel

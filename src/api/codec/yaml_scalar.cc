#include "api/codec/yaml_scalar.h"

#include <charconv>
#include <limits>
#include <string>

#include "api/codec/time_format.h"
#include "base/ascii.h"

namespace keelson::api::yaml {
namespace {

using Tag = Scalar::Tag;
using base::IsDigit;

bool OneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words)
    if (word == text) return true;
  return false;
}

// Words that stand for something else than themselves.
bool ResolveWord(std::string_view t, Scalar& out) {
  if (OneOf(t, {"", "~", "null", "Null", "NULL"})) {
    out.tag = Tag::kNull;
  } else if (OneOf(t, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    out.tag = Tag::kBool;
    out.boolean = true;
  } else if (OneOf(t, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    out.tag = Tag::kBool;
  } else if (OneOf(t, {".nan", ".NaN", ".NAN"})) {
    out.tag = Tag::kFloat;
    out.real = std::numeric_limits<double>::quiet_NaN();
  } else if (OneOf(t, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    out.tag = Tag::kFloat;
    out.real = std::numeric_limits<double>::infinity();
  } else if (OneOf(t, {"-.inf", "-.Inf", "-.INF"})) {
    out.tag = Tag::kFloat;
    out.real = -std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  return true;
}

// Sign, base prefix (0x, 0o, 0b, 0) and digits.
bool ResolveInteger(std::string_view t, Scalar& out) {
  bool negative = false, sign = false;
  if (t[0] == '-' || t[0] == '+') {
    negative = t[0] == '-';
    sign = true;
    t.remove_prefix(1);
  }
  int base = 10;
  if (t.size() >= 2 && t[0] == '0') {
    const char prefix = static_cast<char>(t[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    t.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), magnitude, base);
  if (t.empty() || ec != std::errc() || end != t.data() + t.size()) return false;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (magnitude <= kMost || (negative && magnitude == kMost + 1)) {
    out.tag = Tag::kInt;
    out.integer = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
    return true;
  }
  if (sign) return false;
  out.tag = Tag::kUint;
  out.unsigned_integer = magnitude;
  return true;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool ResolveFloat(std::string_view t, Scalar& out) {
  size_t i = t[0] == '-' || t[0] == '+' ? 1 : 0;
  const size_t start = t[0] == '+' ? 1 : 0;
  auto digits = [&] {
    const size_t from = i;
    while (i < t.size() && IsDigit(t[i])) ++i;
    return i - from;
  };
  const size_t whole = digits();
  size_t fraction = 0;
  if (i < t.size() && t[i] == '.') {
    ++i;
    fraction = digits();
  }
  if (whole + fraction == 0) return false;
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '-' || t[i] == '+')) ++i;
    if (digits() == 0) return false;
  }
  if (i != t.size()) return false;
  auto [end, ec] = std::from_chars(t.data() + start, t.data() + t.size(), out.real);
  if (ec != std::errc() || end != t.data() + t.size()) return false;
  out.tag = Tag::kFloat;
  return true;
}

// A date, or a date and time with fields of one or two digits.
bool IsTimestamp(std::string_view t) {
  if (t.size() < 8 || t[4] != '-') return false;
  size_t i = 0;
  auto number = [&](size_t least, size_t most) {
    std::string digits;
    while (i < t.size() && digits.size() < most && IsDigit(t[i])) digits += t[i++];
    return digits.size() < least ? std::string() : std::string(digits.size() == 1 ? 1 : 0, '0') + digits;
  };
  auto take = [&](char c) { return i < t.size() && t[i] == c && ++i; };
  // Spelled in full, then left to the parser of times.
  std::string full = number(4, 4);
  auto part = [&](char before, bool first) {
    if (!first && !take(before)) return false;
    const std::string digits = number(1, 2);
    full += before + digits;
    return !digits.empty();
  };
  if (full.empty() || !part('-', false) || !part('-', false)) return false;
  if (i == t.size()) return ParseTime(full + "T00:00:00Z").has_value();
  const char separator = t[i++];
  if (separator != 'T' && separator != 't' && separator != ' ') return false;
  if (!part('T', true) || !part(':', false) || !part(':', false)) return false;
  const std::string_view rest = t.substr(i);
  if (separator != ' ') return ParseTime(full + std::string(rest)).has_value();
  return rest.find_first_of("Zz+-") == rest.npos && ParseTime(full + std::string(rest) + "Z").has_value();
}

}  // namespace

Scalar ResolvePlain(std::string_view text) {
  Scalar out;
  if (text == "<<") {
    out.tag = Tag::kMerge;
    return out;
  }
  if (ResolveWord(text, out)) return out;
  const char c = text[0];
  if (c == '.') {
    ResolveFloat(text, out);
    return out;
  }
  if (c != '-' && c != '+' && !IsDigit(c)) return out;
  if (IsTimestamp(text)) {
    out.tag = Tag::kTimestamp;
    return out;
  }
  std::string plain;
  for (char d : text)
    if (d != '_') plain += d;
  if (!ResolveInteger(plain, out)) ResolveFloat(plain, out);
  return out;
}

bool IsBase60(std::string_view t) {
  size_t i = !t.empty() && (t[0] == '-' || t[0] == '+') ? 1 : 0;
  if (i >= t.size() || !IsDigit(t[i])) return false;
  while (i < t.size() && (IsDigit(t[i]) || t[i] == '_')) ++i;
  size_t parts = 0;
  while (i < t.size() && t[i] == ':') {
    ++i;
    size_t digits = 0;
    const size_t from = i;
    while (i < t.size() && IsDigit(t[i])) ++i, ++digits;
    if (digits == 0 || digits > 2 || (digits == 2 && t[from] > '5')) return false;
    ++parts;
  }
  if (parts == 0) return false;
  if (i < t.size() && t[i] == '.') {
    ++i;
    while (i < t.size() && (IsDigit(t[i]) || t[i] == '_')) ++i;
  }
  return i == t.size();
}

}  // namespace keelson::api::yaml

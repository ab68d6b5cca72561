#include "cel/functions/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "api/validation/quote.h"
#include "base/utf8.h"
#include "cel/functions/conversions.h"
#include "cel/functions/functions.h"
#include "cel/numbers.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

using api::Quoted;

constexpr int kDefaultPrecision = 6;

std::string AppendText(const Value& v, std::string& out);

// A value inside a list or map.
std::string AppendNested(const Value& v, std::string& out) {
  std::string text;
  switch (v.kind()) {
    case ValueKind::kString: out += Quoted(v.text()); return "";
    case ValueKind::kDouble:
      text = FormatFixed(v.real(), kDefaultPrecision);
      out += std::isfinite(v.real()) ? text : Quoted(text);
      return "";
    case ValueKind::kDuration:
      out += "duration(" + Quoted(FormatDurationSeconds(v.integer())) + ")";
      return "";
    case ValueKind::kTimestamp:
      out += "timestamp(" + Quoted(FormatTimestamp(v.integer(), v.nanos())) + ")";
      return "";
    case ValueKind::kBytes: {
      if (const std::string error = AppendText(v, text); !error.empty()) return error;
      out += "b" + Quoted(text);
      return "";
    }
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kNull:
    case ValueKind::kType:
    case ValueKind::kList:
    case ValueKind::kMap: return AppendText(v, out);
    default: return "no formatting function for " + TypeOf(v)->name();
  }
}

std::string AppendList(const List& list, std::string& out) {
  out += "[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    if (std::string error = AppendNested(list.At(i), out); !error.empty()) return error;
  }
  out += "]";
  return "";
}

std::string AppendMap(const Map& map, std::string& out) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t i = 0; i < map.size(); ++i) {
    const Value key = map.KeyAt(i);
    if (!key.is(ValueKind::kString) && !key.is(ValueKind::kBool) && !key.is(ValueKind::kInt) &&
        !key.is(ValueKind::kUint))
      return "no formatting function for map key of type " + TypeOf(key)->name();
    auto& [name, value] = entries.emplace_back();
    AppendNested(key, name);
    if (std::string error = AppendNested(map.ValueAt(i), value); !error.empty()) return error;
  }
  std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.first; });
  out += "{";
  for (size_t i = 0; i < entries.size(); ++i)
    out.append(i > 0 ? ", " : "").append(entries[i].first).append(":").append(entries[i].second);
  out += "}";
  return "";
}

std::string AppendText(const Value& v, std::string& out) {
  switch (v.kind()) {
    case ValueKind::kList: return AppendList(v.list(), out);
    case ValueKind::kMap: return AppendMap(v.map(), out);
    case ValueKind::kNull: out += "null"; return "";
    case ValueKind::kObject:
    case ValueKind::kOptional:
    case ValueKind::kError: return WrongTypeFor('s', TypeOf(v)->name());
    default: {
      const Value text = ToString(v);
      if (text.is_error()) return "could not convert argument " + Quoted(text.text()) + " to string";
      out += text.text();
      return "";
    }
  }
}

// As in English: groups of three digits.
std::string Grouped(std::string text) {
  size_t end = text.find('.');
  if (end == std::string::npos) end = text.size();
  const size_t start = text.starts_with('-') ? 1 : 0;
  for (size_t at = end; at > start + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string Infinite(double d) { return std::isnan(d) ? "NaN" : d < 0 ? "-∞" : "∞"; }

std::string Scientific(double d) {
  const std::string text = FormatExponent(d, kDefaultPrecision);
  const size_t e = text.find('e');
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = text.substr(0, e) + "\u202f×\u202f10";
  for (const char c : text.substr(e + 1)) {
    if (c == '-') out += "⁻";
    if (c >= '0' && c <= '9') out += kDigits[c - '0'];
  }
  return out;
}

// Words for doubles that a text may stand for.
bool IsDoubleWord(const Value& v) {
  return v.is(ValueKind::kString) && (v.text() == "NaN" || v.text() == "Infinity" || v.text() == "-Infinity");
}

std::string AppendReal(const FormatClause& clause, const Value& v, std::string& out) {
  if (!v.is(ValueKind::kDouble) && !IsDoubleWord(v)) return WrongTypeFor(clause.verb, TypeOf(v)->name());
  const double d = v.is(ValueKind::kDouble) ? v.real() : ParseFloat(v.text()).value_or(0);
  const int precision = clause.precision.value_or(kDefaultPrecision);
  if (clause.verb == 'f') {
    out += std::isfinite(d) ? Grouped(FormatFixed(d, std::min(precision, 1000))) : Infinite(d);
    return "";
  }
  // The precision of %e is taken for a width.
  const std::string text = std::isfinite(d) ? Scientific(d) : Infinite(d);
  const size_t width = static_cast<size_t>(std::clamp(precision, 0, 1000)), size = base::CountRunes(text);
  if (size < width) out.append(width - size, ' ');
  out += text;
  return "";
}

std::string InBase(const Value& v, int base, bool upper) {
  char text[72];
  const auto end = v.is(ValueKind::kInt)
                       ? std::to_chars(text, text + sizeof text, v.integer(), base)
                       : std::to_chars(text, text + sizeof text, v.unsigned_integer(), base);
  std::string out(text, end.ptr);
  if (upper)
    for (char& c : out)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return out;
}

std::string AppendWhole(const FormatClause& clause, const Value& v, std::string& out) {
  const bool whole = v.is(ValueKind::kInt) || v.is(ValueKind::kUint);
  const bool hex = clause.verb == 'x' || clause.verb == 'X';
  if (hex && (v.is(ValueKind::kString) || v.is(ValueKind::kBytes))) {
    const char* const digits = clause.verb == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    for (const char c : v.text()) {
      out += digits[static_cast<uint8_t>(c) >> 4];
      out += digits[static_cast<uint8_t>(c) & 15];
    }
    return "";
  }
  if (clause.verb == 'b' && v.is(ValueKind::kBool)) {
    out += v.boolean() ? "1" : "0";
    return "";
  }
  if (!whole) return WrongTypeFor(clause.verb, TypeOf(v)->name());
  const int base = hex ? 16 : clause.verb == 'b' ? 2 : clause.verb == 'o' ? 8 : 10;
  out += InBase(v, base, clause.verb == 'X');
  return "";
}

Value Format(Args args) {
  const List& list = args[1].list();
  std::string out;
  const std::string error = ForEachClause(
      args[0].text(), list.size(), out,
      [&](const FormatClause& clause, std::string& text) {
        const Value value = list.At(clause.argument);
        switch (clause.verb) {
          case 's': return AppendText(value, text);
          case 'f':
          case 'e': return AppendReal(clause, value, text);
          default: return AppendWhole(clause, value, text);
        }
      },
      nullptr, false);
  return error.empty() ? Value::String(std::move(out)) : Value::Error(error);
}

struct ReadClause {
  std::string error;
  FormatClause clause;
  size_t size = 0;
};

// `rest` starts after the percent sign.
ReadClause Read(std::string_view rest) {
  ReadClause read;
  size_t i = 0;
  if (rest[0] == '.') {
    for (i = 1; i < rest.size() && rest[i] >= '0' && rest[i] <= '9';) ++i;
    if (i >= rest.size()) {
      read.error = "error while parsing precision: could not find end of precision specifier";
      return read;
    }
    const std::string_view digits = rest.substr(1, i - 1);
    int precision = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), precision);
    if (code != std::errc()) {
      read.error =
          "error while parsing precision: error while converting precision to integer: strconv.Atoi: "
          "parsing " +
          Quoted(digits) +
          (code == std::errc::result_out_of_range ? ": value out of range" : ": invalid syntax");
      return read;
    }
    read.clause.precision = precision;
  }
  read.clause.verb = rest[i];
  read.size = i + 1;
  if (std::string_view("sdfebxXo").find(rest[i]) == std::string_view::npos) {
    std::string shown;
    base::AppendRune(static_cast<uint8_t>(rest[i]), shown);
    read.error = "unrecognized formatting clause \"" + shown + "\"";
  }
  return read;
}

}  // namespace

std::string WrongTypeFor(char verb, std::string_view type) {
  std::string text;
  switch (verb) {
    case 'd': text = "decimal clause can only be used on integers"; break;
    case 'f': text = "fixed-point clause can only be used on doubles"; break;
    case 'e': text = "scientific clause can only be used on doubles"; break;
    case 'b': text = "only integers and bools can be formatted as binary"; break;
    case 'x':
    case 'X': text = "only integers, byte buffers, and strings can be formatted as hex"; break;
    case 'o': text = "octal clause can only be used on integers"; break;
    default:
      text =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
          "durations, "
          "and timestamps";
  }
  return text + ", was given " + std::string(type);
}

std::string ForEachClause(std::string_view format, size_t arguments, std::string& out,
                          const std::function<std::string(const FormatClause&, std::string&)>& write,
                          size_t* fetched, bool checked) {
  size_t argument = 0;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      i += 2;
      continue;
    }
    std::string range = "index " + std::to_string(argument) + " out of range";
    if (!checked && argument >= arguments) return range;
    if (fetched) ++*fetched;
    if (i + 1 >= format.size()) return "unexpected end of string";
    if (argument >= arguments) return range;
    ReadClause read = Read(format.substr(i + 1));
    if (!read.error.empty()) return "could not parse formatting clause: " + read.error;
    read.clause.argument = argument++;
    if (const std::string error = write(read.clause, out); !error.empty())
      return "error during formatting: " + error;
    i += 1 + read.size;
  }
  return "";
}

void AddStringFormat(Library& library) {
  library.Member("format", "string_format", {types::String(), types::ListOf(types::Dyn())}, types::String(),
                 Format);
}

}  // namespace keelson::cel

// Text: searching, cutting, joining.
#include <algorithm>

#include "base/utf8.h"
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

std::u32string Runes(std::string_view text) {
  std::u32string runes;
  for (size_t i = 0; i < text.size();) {
    const base::Rune rune = base::DecodeRune(text, i);
    runes.push_back(rune.value);
    i += rune.size;
  }
  return runes;
}

std::string Joined(std::u32string_view runes) {
  std::string text;
  for (const char32_t rune : runes) base::AppendRune(rune, text);
  return text;
}

Value OutOfRange(int64_t index) { return Value::Error("index out of range: " + std::to_string(index)); }

// Those without guards look at their arguments themselves.
template <auto test>
Value Test(Args args) {
  for (const Value& arg : args)
    if (!arg.is(ValueKind::kString)) return NoSuchOverload(arg);
  return Value::Bool(test(args[0].text(), args[1].text()));
}

Value CharAt(Args args) {
  const std::u32string runes = Runes(args[0].text());
  const int64_t i = args[1].integer(), size = static_cast<int64_t>(runes.size());
  if (i < 0 || i > size) return OutOfRange(i);
  return Value::String(i == size ? "" : Joined(runes.substr(static_cast<size_t>(i), 1)));
}

Value Find(const std::u32string& text, const std::u32string& part, int64_t offset) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (part.empty()) return Value::Int(offset);
  if (offset < 0) return OutOfRange(offset);
  if (offset >= size) return Value::Int(-1);
  const size_t found = text.find(part, static_cast<size_t>(offset));
  return Value::Int(found == std::u32string::npos ? -1 : static_cast<int64_t>(found));
}

Value FindLast(const std::u32string& text, const std::u32string& part, int64_t offset) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (part.empty()) return Value::Int(offset);
  if (offset < 0) return OutOfRange(offset);
  if (offset >= size) return Value::Int(-1);
  const size_t found = text.rfind(part, static_cast<size_t>(offset));
  return Value::Int(found == std::u32string::npos ? -1 : static_cast<int64_t>(found));
}

Value IndexInText(Args args) {
  return Find(Runes(args[0].text()), Runes(args[1].text()), args.size() == 3 ? args[2].integer() : 0);
}

Value LastIndexInText(Args args) {
  const std::u32string text = Runes(args[0].text()), part = Runes(args[1].text());
  if (args.size() == 3) return FindLast(text, part, args[2].integer());
  if (part.empty()) return Value::Int(static_cast<int64_t>(text.size()));
  if (args[0].text().size() < args[1].text().size()) return Value::Int(-1);
  return FindLast(text, part, static_cast<int64_t>(text.size()) - 1);
}

template <char from, char to, int shift>
Value ChangeCase(Args args) {
  std::string text(args[0].text());
  for (char& c : text)
    if (c >= from && c <= to) c = static_cast<char>(c + shift);
  return Value::String(std::move(text));
}

Value Replace(Args args) {
  const std::string_view text = args[0].text(), old = args[1].text(), with = args[2].text();
  int64_t left = args.size() == 4 ? args[3].integer() : -1;
  std::string out;
  size_t at = 0;
  while (left != 0) {
    size_t found = old.empty() ? at : text.find(old, at);
    if (found == std::string_view::npos) break;
    out.append(text.substr(at, found - at)).append(with);
    at = found + old.size();
    if (left > 0) --left;
    if (!old.empty()) continue;
    if (at >= text.size()) return Value::String(std::move(out));
    const size_t size = base::DecodeRune(text, at).size;
    out.append(text.substr(at, size));
    at += size;
  }
  return Value::String(out.append(text.substr(at)));
}

Value Split(Args args) {
  const std::string_view text = args[0].text(), separator = args[1].text();
  const int64_t limit = args.size() == 3 ? args[2].integer() : -1;
  std::vector<std::string> parts;
  if (limit == 0) return Value::Strings({});
  size_t at = 0;
  const auto full = [&] { return limit > 0 && static_cast<int64_t>(parts.size()) + 1 >= limit; };
  if (separator.empty()) {
    while (at < text.size() && !full()) {
      const size_t size = base::DecodeRune(text, at).size;
      parts.emplace_back(text.substr(at, size));
      at += size;
    }
    if (at < text.size()) parts.emplace_back(text.substr(at));
    return Value::Strings(std::move(parts));
  }
  while (!full()) {
    const size_t found = text.find(separator, at);
    if (found == std::string_view::npos) break;
    parts.emplace_back(text.substr(at, found - at));
    at = found + separator.size();
  }
  parts.emplace_back(text.substr(at));
  return Value::Strings(std::move(parts));
}

Value Substring(Args args) {
  const std::u32string runes = Runes(args[0].text());
  const int64_t size = static_cast<int64_t>(runes.size()), start = args[1].integer();
  const int64_t end = args.size() == 3 ? args[2].integer() : size;
  if (args.size() == 3 && start > end)
    return Value::Error("invalid substring range. start: " + std::to_string(start) +
                        ", end: " + std::to_string(end));
  if (start < 0 || start > size) return OutOfRange(start);
  if (end < 0 || end > size) return OutOfRange(end);
  return Value::String(Joined(runes.substr(static_cast<size_t>(start), static_cast<size_t>(end - start))));
}

bool IsUnicodeSpace(char32_t c) {
  switch (c) {
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000: return true;
    default: return c >= 0x2000 && c <= 0x200A;
  }
}

Value Trim(Args args) {
  const std::u32string runes = Runes(args[0].text());
  size_t begin = 0, end = runes.size();
  while (begin < end && IsUnicodeSpace(runes[begin])) ++begin;
  while (end > begin && IsUnicodeSpace(runes[end - 1])) --end;
  return Value::String(Joined(std::u32string_view(runes).substr(begin, end - begin)));
}

Value Join(Args args) {
  const std::string_view separator = args.size() == 2 ? args[1].text() : "";
  std::string out;
  const List& list = args[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out.append(separator);
    const Value item = list.At(i);
    if (!item.is(ValueKind::kString)) return Value::Error("join: invalid input: " + ToText(item));
    out.append(item.text());
  }
  return Value::String(std::move(out));
}

Value Quote(Args args) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"", kWritten = "abfnrtv\\\"";
  std::string out = "\"";
  const std::string_view text = args[0].text();
  for (size_t i = 0; i < text.size();) {
    const base::Rune rune = base::DecodeRune(text, i);
    i += rune.size;
    const size_t special =
        rune.value < 0x80 ? kSpecial.find(static_cast<char>(rune.value)) : std::string_view::npos;
    if (special != std::string_view::npos) {
      out.append("\\").push_back(kWritten[special]);
    } else {
      base::AppendRune(rune.value, out);
    }
  }
  return Value::String(out + "\"");
}

}  // namespace

void AddStrings(Library& library) {
  using namespace types;
  const auto test = [&](std::string_view name, std::string id, Implementation call) {
    library.Member(name, std::move(id), {String(), String()}, Bool(), call);
    library.Define(name).guarded = false;
  };
  using Text = std::string_view;
  test("contains", "contains_string", Test<[](Text a, Text b) { return a.find(b) != Text::npos; }>);
  test("endsWith", "ends_with_string", Test<[](Text a, Text b) { return a.ends_with(b); }>);
  test("startsWith", "starts_with_string", Test<[](Text a, Text b) { return a.starts_with(b); }>);

  const TypeRef strings = ListOf(String());
  library.Member("charAt", "string_char_at_int", {String(), Int()}, String(), CharAt);
  library.Member("indexOf", "string_index_of_string", {String(), String()}, Int(), IndexInText);
  library.Member("indexOf", "string_index_of_string_int", {String(), String(), Int()}, Int(), IndexInText);
  library.Member("lastIndexOf", "string_last_index_of_string", {String(), String()}, Int(), LastIndexInText);
  library.Member("lastIndexOf", "string_last_index_of_string_int", {String(), String(), Int()}, Int(),
                 LastIndexInText);
  library.Member("lowerAscii", "string_lower_ascii", {String()}, String(), ChangeCase<'A', 'Z', 32>);
  library.Member("upperAscii", "string_upper_ascii", {String()}, String(), ChangeCase<'a', 'z', -32>);
  library.Member("replace", "string_replace_string_string", {String(), String(), String()}, String(),
                 Replace);
  library.Member("replace", "string_replace_string_string_int", {String(), String(), String(), Int()},
                 String(), Replace);
  library.Member("split", "string_split_string", {String(), String()}, strings, Split);
  library.Member("split", "string_split_string_int", {String(), String(), Int()}, strings, Split);
  library.Member("substring", "string_substring_int", {String(), Int()}, String(), Substring);
  library.Member("substring", "string_substring_int_int", {String(), Int(), Int()}, String(), Substring);
  library.Member("trim", "string_trim", {String()}, String(), Trim);
  library.Member("join", "list_join", {strings}, String(), Join);
  library.Member("join", "list_join_string", {strings, String()}, String(), Join);
  library.Global("strings.quote", "strings_quote", {String()}, String(), Quote);
}

}  // namespace keelson::cel

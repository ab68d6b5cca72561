#include "api/codec/json_reader.h"

#include <emmintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "api/codec/json.h"

namespace keelson::api::json {
namespace {

constexpr std::string_view kBeginValue = "looking for beginning of value";
constexpr std::string_view kBeginKey = "looking for beginning of object key string";

// The first character at or after `p` that ends a run inside a string: a quote, a
// backslash or a control character; `end` when there is none.
const char* FindStringStop(const char* p, const char* end) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1f);
  for (; end - p >= 16; p += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
                                      _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
    if (const int mask = _mm_movemask_epi8(stop)) return p + std::countr_zero(static_cast<unsigned>(mask));
  }
  while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
  return p;
}

char* AppendUtf8(uint32_t rune, char* out) {
  if (rune < 0x80) {
    *out++ = static_cast<char>(rune);
  } else if (rune < 0x800) {
    *out++ = static_cast<char>(0xC0 | rune >> 6);
    *out++ = static_cast<char>(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    *out++ = static_cast<char>(0xE0 | rune >> 12);
    *out++ = static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (rune & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | rune >> 18);
    *out++ = static_cast<char>(0x80 | (rune >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (rune & 0x3F));
  }
  return out;
}

// A character as Go quotes it in its syntax errors.
std::string QuoteChar(unsigned char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '\'': return R"('\'')";
    case '"': return R"('"')";
    case '\\': return R"('\\')";
    case '\a': return R"('\a')";
    case '\b': return R"('\b')";
    case '\f': return R"('\f')";
    case '\n': return R"('\n')";
    case '\r': return R"('\r')";
    case '\t': return R"('\t')";
    case '\v': return R"('\v')";
    default: break;
  }
  if (c < 0x20 || c == 0x7f) return {'\'', '\\', 'x', kHex[c >> 4], kHex[c & 15], '\''};
  if (c >= 0x80 && (c < 0xa1 || c == 0xad))
    return {'\'', '\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15], '\''};
  char utf8[4];
  return "'" + std::string(utf8, AppendUtf8(c, utf8)) + "'";
}

}  // namespace

bool JsonReader::Unexpected(std::string_view context) {
  if (p_ >= end_) return Fail("unexpected end of JSON input");
  return Fail("invalid character " + QuoteChar(static_cast<unsigned char>(*p_)) + " " + std::string(context));
}

bool JsonReader::BeginContainer() {
  ++p_;
  return ++depth_ <= kMaxDepth || Fail("exceeded max depth");
}

bool JsonReader::NextMember(bool first, std::string_view* name, bool* more) {
  char c = Peek();
  if (c == '}' && p_ < end_) {
    ++p_;
    *more = false;
    return true;
  }
  if (!first) {
    if (c != ',') return Unexpected("after object key:value pair");
    ++p_;
    c = Peek();
  }
  if (c != '"') return Unexpected(kBeginKey);
  if (!String(name)) return false;
  if (Peek() != ':') return Unexpected("after object key");
  ++p_;
  *more = true;
  return true;
}

bool JsonReader::NextElement(bool first, bool* more) {
  const char c = Peek();
  *more = true;
  if (c == ']') {
    ++p_;
    *more = false;
    return true;
  }
  if (first) return true;
  if (c != ',') return Unexpected("after array element");
  ++p_;
  return true;
}

bool JsonReader::AtEnd() {
  Peek();
  return p_ == end_ || Unexpected("after top-level value");
}

bool JsonReader::String(std::string_view* out) {
  const char* start = ++p_;
  p_ = FindStringStop(p_, end_);
  if (p_ < end_ && *p_ == '"') {
    *out = {start, static_cast<size_t>(p_ - start)};
    ++p_;
    return true;
  }
  return Unescape(start, out);
}

bool JsonReader::UnicodeEscape(uint32_t* unit) {
  *unit = 0;
  for (int i = 0; i < 4; ++i, ++p_) {
    const char c = p_ < end_ ? *p_ : '\0';
    uint32_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return Unexpected("in \\u hexadecimal character escape");
    }
    *unit = *unit << 4 | digit;
  }
  return true;
}

// `p_` stands at the first backslash, control character or the end of the text.
bool JsonReader::Unescape(const char* start, std::string_view* out) {
  const char* from = p_;
  if (!SkipString()) return false;
  // The unescaped text is never longer than the escaped one.
  char* const to = static_cast<char*>(arena_.Allocate(static_cast<size_t>(p_ - 1 - start), 1));
  char* w = to;
  const char* const stop = p_ - 1;
  std::memcpy(w, start, static_cast<size_t>(from - start));
  w += from - start;
  for (p_ = from; p_ < stop;) {
    if (*p_ != '\\') {
      const char* next = FindStringStop(p_, stop);
      std::memcpy(w, p_, static_cast<size_t>(next - p_));
      w += next - p_;
      p_ = next;
      continue;
    }
    p_ += 2;
    switch (p_[-1]) {
      case 'b': *w++ = '\b'; break;
      case 'f': *w++ = '\f'; break;
      case 'n': *w++ = '\n'; break;
      case 'r': *w++ = '\r'; break;
      case 't': *w++ = '\t'; break;
      case 'u': {
        uint32_t rune = 0;
        UnicodeEscape(&rune);
        if (rune >= 0xD800 && rune < 0xDC00 && stop - p_ >= 6 && p_[0] == '\\' && p_[1] == 'u') {
          const char* second = p_;
          uint32_t low = 0;
          p_ += 2;
          UnicodeEscape(&low);
          if (low >= 0xDC00 && low < 0xE000) {
            rune = 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00);
          } else {
            p_ = second;
          }
        }
        if (rune >= 0xD800 && rune < 0xE000) rune = 0xFFFD;
        w = AppendUtf8(rune, w);
        break;
      }
      default: *w++ = p_[-1];
    }
  }
  p_ = stop + 1;
  *out = {to, static_cast<size_t>(w - to)};
  return true;
}

// From inside a string to past its closing quote.
bool JsonReader::SkipString() {
  for (;;) {
    p_ = FindStringStop(p_, end_);
    if (p_ >= end_) return Unexpected("");
    if (*p_ == '"') {
      ++p_;
      return true;
    }
    if (*p_ != '\\') return Unexpected("in string literal");
    if (++p_ >= end_) return Unexpected("");
    if (*p_ == 'u') {
      ++p_;
      uint32_t unit;
      if (!UnicodeEscape(&unit)) return false;
      continue;
    }
    if (std::string_view("\"\\/bfnrt").find(*p_) == std::string_view::npos)
      return Unexpected("in string escape code");
    ++p_;
  }
}

bool JsonReader::Digits(std::string_view context) {
  if (p_ >= end_ || *p_ < '0' || *p_ > '9') return Unexpected(context);
  while (p_ < end_ && *p_ >= '0' && *p_ <= '9') ++p_;
  return true;
}

bool JsonReader::Number(std::string_view* token) {
  const char* start = p_;
  if (*p_ == '-') ++p_;
  if (p_ < end_ && *p_ == '0') {
    ++p_;
  } else if (!Digits("in numeric literal")) {
    return false;
  }
  if (p_ < end_ && *p_ == '.') {
    ++p_;
    if (!Digits("after decimal point in numeric literal")) return false;
  }
  if (p_ < end_ && (*p_ | 0x20) == 'e') {
    ++p_;
    if (p_ < end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    if (!Digits("in exponent of numeric literal")) return false;
  }
  *token = {start, static_cast<size_t>(p_ - start)};
  return true;
}

bool JsonReader::Literal(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i, ++p_) {
    if (p_ < end_ && *p_ == word[i]) continue;
    return Unexpected("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
  }
  return true;
}

bool JsonReader::SkipScalar(char c) {
  std::string_view token;
  switch (c) {
    case '"': ++p_; return SkipString();
    case 't': return Literal("true");
    case 'f': return Literal("false");
    case 'n': return Literal("null");
    default:
      if (c == '-' || (c >= '0' && c <= '9')) return Number(&token);
      return Unexpected(kBeginValue);
  }
}

// Without recursion: what is skipped may nest as deep as the limit allows.
bool JsonReader::Skip(std::string_view* token, bool* has_space) {
  Peek();
  const char* const start = p_;
  std::array<uint64_t, kMaxDepth / 64 + 1> is_object;  // by depth below here
  int depth = 0;
  bool space = false;
  auto peek = [&] {
    const char* before = p_;
    const char c = Peek();
    space |= p_ != before;
    return c;
  };
  auto in_object = [&] { return (is_object[depth / 64] >> (depth % 64) & 1) != 0; };
  auto member_name = [&] {
    if (peek() != '"') return Unexpected(kBeginKey);
    ++p_;
    if (!SkipString()) return false;
    if (peek() != ':') return Unexpected("after object key");
    ++p_;
    return true;
  };
  for (;;) {
    const char c = depth == 0 ? Peek() : peek();
    if (c == '{' || c == '[') {
      if (!BeginContainer()) return false;
      ++depth;
      const uint64_t bit = uint64_t{1} << (depth % 64);
      auto& word = is_object[depth / 64];
      word = c == '{' ? word | bit : word & ~bit;
      const char next = peek();
      if (next != (c == '{' ? '}' : ']')) {
        if (c == '{' && !member_name()) return false;
        continue;
      }
    } else if (!SkipScalar(c)) {
      return false;
    }
    // A value has ended, or an empty container is about to.
    for (;;) {
      if (depth == 0) {
        if (token) *token = {start, static_cast<size_t>(p_ - start)};
        if (has_space) *has_space = space;
        return true;
      }
      const bool object = in_object();
      const char next = peek();
      if (next == (object ? '}' : ']')) {
        ++p_;
        --depth;
        EndContainer();
        continue;
      }
      if (next != ',') return Unexpected(object ? "after object key:value pair" : "after array element");
      ++p_;
      if (object && !member_name()) return false;
      break;
    }
  }
}

}  // namespace keelson::api::json

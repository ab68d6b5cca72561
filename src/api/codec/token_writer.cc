#include "api/codec/token_writer.h"

#include <algorithm>
#include <cmath>

namespace keelson::api::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr size_t kEscapeChunk = 256;  // how much slow text is reserved for at a time
constexpr size_t kLongestEscape = 6;

// The length of the UTF-8 sequence at the start of `s`; 0 when it is not one.
size_t SequenceLength(std::string_view s) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const auto continues = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
  const unsigned char c = at(0);
  if (c >= 0xC2 && c <= 0xDF) return s.size() >= 2 && continues(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if (s.size() < 3 || !continues(1) || !continues(2)) return 0;
    if ((c == 0xE0 && at(1) < 0xA0) || (c == 0xED && at(1) > 0x9F)) return 0;
    return 3;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if (s.size() < 4 || !continues(1) || !continues(2) || !continues(3)) return 0;
    if ((c == 0xF0 && at(1) < 0x90) || (c == 0xF4 && at(1) > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

bool IsLineSeparator(std::string_view s) {
  return s.size() >= 3 && s[0] == '\xE2' && s[1] == '\x80' && (s[2] == '\xA8' || s[2] == '\xA9');
}

// Copies a block; false when it has a space or what must be escaped (`out` then has no meaning).
constexpr size_t kBlock = 16;
bool CopyPlainBlock(const char* in, char* out) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  const __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x21));  // spaces, and >= 0x80
  const __m128i amp = _mm_cmpeq_epi8(v, _mm_set1_epi8('&'));
  const __m128i angle =
      _mm_cmpeq_epi8(_mm_and_si128(v, _mm_set1_epi8(static_cast<char>(0xFD))), _mm_set1_epi8('<'));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), v);
  return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, amp), angle)) == 0;
}

}  // namespace

// Writes the first character of `s`, escaped if it must be; returns how many bytes it took.
size_t TokenWriter::EscapeOne(std::string_view s) {
  const unsigned char c = static_cast<unsigned char>(s[0]);
  if (c >= 0x80) {
    const size_t n = SequenceLength(s);
    if (n == 0) {
      Put("\\ufffd");
      return 1;
    }
    if (IsLineSeparator(s)) {
      Put(s[2] == '\xA8' ? "\\u2028" : "\\u2029");
    } else {
      Put(s.substr(0, n));
    }
    return n;
  }
  switch (c) {
    case '"': Put("\\\""); return 1;
    case '\\': Put("\\\\"); return 1;
    case '\b': Put("\\b"); return 1;
    case '\f': Put("\\f"); return 1;
    case '\n': Put("\\n"); return 1;
    case '\r': Put("\\r"); return 1;
    case '\t': Put("\\t"); return 1;
    default: break;
  }
  if (c >= 0x20 && c != '&' && c != '<' && c != '>') {
    *p_++ = static_cast<char>(c);
    return 1;
  }
  const char escape[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
  Put({escape, sizeof escape});
  return 1;
}

void TokenWriter::EscapeRest(std::string_view s) {
  while (!s.empty()) {
    Need(kEscapeChunk * kLongestEscape);
    size_t taken = 0;
    while (taken < kEscapeChunk && taken < s.size()) {
      const size_t room = std::min(kEscapeChunk - taken, s.size() - taken);
      const size_t clean = CopyClean(s.data() + taken, room, p_);
      p_ += clean;
      taken += clean;
      // A sequence that starts in the chunk may end past it: kLongestEscape covers that.
      if (clean < room) taken += EscapeOne(s.substr(taken));
    }
    s.remove_prefix(taken);
  }
  Raw('"');
}

void TokenWriter::Double(double v) {
  Need(32);
  if (!std::isfinite(v)) return Null();
  const double magnitude = std::abs(v);
  constexpr double kIntegral = 9007199254740992;  // 2^53: from here on there are no fractions
  if (magnitude != 0 && magnitude < kIntegral && magnitude >= 1e-6) {
    p_ = std::to_chars(p_, p_ + 32, v, std::chars_format::fixed).ptr;
    return;
  }
  if (magnitude == 0) {
    Put(std::signbit(v) ? "-0" : "0");
    return;
  }
  char* const start = p_;
  p_ = std::to_chars(p_, p_ + 32, v, std::chars_format::scientific).ptr;
  char* const e = std::find(start, p_, 'e');
  if (magnitude >= 1e21 || magnitude < 1e-6) {
    // Go writes e-9, not e-09.
    if (e[2] == '0' && p_ - e == 4) {
      e[2] = e[3];
      --p_;
    }
    return;
  }
  // The shortest digits, then zeros: not the digits of the exact value.
  int exponent = 0;
  std::from_chars(e + 2, p_, exponent);
  char* const point = std::find(start, e, '.');
  p_ = std::copy(std::min(point + 1, e), e, point);
  char* const end = start + (v < 0) + exponent + 1;
  p_ = std::fill_n(p_, end - p_, '0');
}

void TokenWriter::Compact(std::string_view json) {
  Need(json.size());
  // Most raw text is compact and plain already: then it is copied block by block, the last one over the one
  // before.
  const size_t whole = json.size() / kBlock * kBlock;
  size_t i = 0;
  while (i < whole && CopyPlainBlock(json.data() + i, p_ + i)) i += kBlock;
  if (i == whole && i > 0 && CopyPlainBlock(json.data() + json.size() - kBlock, p_ + json.size() - kBlock))
    i = json.size();
  p_ += i;
  if (i == json.size()) return;
  // A string or an escape may have begun in what was copied.
  bool in_string = false;
  size_t k = 0;
  for (; k < i; ++k) {
    if (json[k] == '\\') {
      ++k;
    } else if (json[k] == '"') {
      in_string = !in_string;
    }
  }
  if (k > i) Raw(json[i++]);
  while (i < json.size()) {
    Need(kEscapeChunk * kLongestEscape);
    for (const size_t stop = std::min(i + kEscapeChunk, json.size()); i < stop;) {
      const char c = json[i];
      if (!in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
        ++i;
      } else if (c == '\\' && i + 1 < json.size()) {
        Put(json.substr(i, 2));
        i += 2;
      } else if (c == '"') {
        in_string = !in_string;
        *p_++ = c;
        ++i;
      } else {
        i += EscapeOne(json.substr(i));
      }
    }
  }
}

}  // namespace keelson::api::json

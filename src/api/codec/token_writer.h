// TokenWriter: appends JSON to a buffer with one bounds check per token. Text comes out as
// Go's encoder writes it: HTML characters and the line separators escaped, bad UTF-8
// replaced.
//
// Members and elements are each followed by a comma; CloseObject and CloseArray put the
// bracket in place of the last one. What was written is in the buffer after Flush().
#pragma once

#include <emmintrin.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "api/codec/base64.h"
#include "api/codec/time_format.h"
#include "base/slice.h"

namespace keelson::api::json {

class TokenWriter {
 public:
  // `expected`: a guess at how much will be written.
  explicit TokenWriter(base::BufferBuilder& out, size_t expected = 0) : out_(out) { Grow(expected); }

  void Flush() {
    out_.Advance(static_cast<size_t>(p_ - base_));
    base_ = p_;
  }

  void Raw(std::string_view text) {
    Need(text.size());
    PutShort(text);
  }
  void Raw(char c) {
    Need(1);
    *p_++ = c;
  }
  void Comma() { Raw(','); }
  void Null() { Raw("null"); }
  void Bool(bool b) { Raw(b ? std::string_view("true") : std::string_view("false")); }
  void Int(int64_t v) {
    Need(20);
    if (v >= 0 && v < 10) {
      *p_++ = static_cast<char>('0' + v);
      return;
    }
    p_ = std::to_chars(p_, p_ + 20, v).ptr;
  }
  void Double(double v);  // as Go formats float64; not finite: null
  void String(std::string_view s) {
    Need(s.size() + 2);
    *p_++ = '"';
    FinishString(s);
  }
  // Both in one pair of quotes. Requires: `prefix` needs no escape.
  void PrefixedString(std::string_view prefix, std::string_view s) {
    Need(prefix.size() + s.size() + 2);
    *p_++ = '"';
    Put(prefix);
    FinishString(s);
  }
  // Appends a string that needs no escape to `out`, in quotes; false: it needs one, and nothing was appended.
  static bool AppendPlain(std::string_view s, base::BufferBuilder& out) {
    char* const at = out.Reserve(s.size() + 2);
    if (CopyClean(s.data(), s.size(), at + 1) != s.size()) return false;
    at[0] = at[s.size() + 1] = '"';
    out.Advance(s.size() + 2);
    return true;
  }
  // A member with a string value, its comma included. `key` is quoted and has its colon.
  void KeyString(std::string_view key, std::string_view s) {
    Need(key.size() + s.size() + 3);
    PutShort(key);
    *p_++ = '"';
    const size_t clean = CopyClean(s.data(), s.size(), p_);
    p_ += clean;
    if (clean == s.size()) [[likely]] {
      *p_++ = '"';
      *p_++ = ',';
      return;
    }
    EscapeRest(s.substr(clean));
    Comma();
  }
  void Bytes(std::string_view bytes) {
    Need(Base64EncodedSize(bytes.size()) + 2);
    *p_++ = '"';
    p_ = Base64Encode(bytes, p_);
    *p_++ = '"';
  }
  void Time(int64_t seconds) {
    Need(kMaxTimeSize + 2);
    *p_++ = '"';
    p_ = FormatTime(seconds, p_);
    *p_++ = '"';
  }
  void MicroTime(int64_t micros) {
    Need(kMaxTimeSize + 2);
    *p_++ = '"';
    p_ = FormatMicroTime(micros, p_);
    *p_++ = '"';
  }
  void Duration(int64_t nanos) {
    Need(kMaxDurationSize + 2);
    *p_++ = '"';
    p_ = FormatDuration(nanos, p_);
    *p_++ = '"';
  }
  // JSON text of unknown spacing, compacted. Requires: it is valid JSON.
  void Compact(std::string_view json);

  // Requires: the opening bracket was written.
  void CloseObject() { Close('}'); }
  void CloseArray() { Close(']'); }

 private:
  // At least `n` bytes, and room for the bracket or quote after them.
  void Need(size_t n) {
    if (static_cast<size_t>(end_ - p_) < n + 2) [[unlikely]]
      Grow(n + 2);
  }
  void Grow(size_t n) {
    if (base_) Flush();
    if (n < kLeastRoom) n = kLeastRoom;
    base_ = p_ = out_.Reserve(n);
    end_ = p_ + n;
  }
  // A string after its opening quote. Requires: Need() made room for it and the other quote.
  void FinishString(std::string_view s) {
    const size_t clean = CopyClean(s.data(), s.size(), p_);
    p_ += clean;
    if (clean != s.size()) [[unlikely]]
      return EscapeRest(s.substr(clean));
    *p_++ = '"';
  }
  // Requires: Need() made room.
  void Put(std::string_view s) {
    std::memcpy(p_, s.data(), s.size());
    p_ += s.size();
  }
  // The same for text that is mostly 4 to 32 bytes long, without a call.
  void PutShort(std::string_view s) {
    const size_t n = s.size();
    const char* from = s.data();
    if (n >= 16 && n <= 32) {
      std::memcpy(p_, from, 16);
      std::memcpy(p_ + n - 16, from + n - 16, 16);
    } else if (n >= 8 && n < 16) {
      std::memcpy(p_, from, 8);
      std::memcpy(p_ + n - 8, from + n - 8, 8);
    } else if (n >= 4 && n < 8) {
      std::memcpy(p_, from, 4);
      std::memcpy(p_ + n - 4, from + n - 4, 4);
    } else {
      std::memcpy(p_, from, n);
    }
    p_ += n;
  }
  void Close(char bracket) {
    if (p_[-1] == ',') {
      p_[-1] = bracket;
    } else {
      Raw(bracket);
    }
  }

  // Copies the longest prefix that needs no escape, and says how long it is. May write,
  // but not past out + n, beyond that prefix.
  static size_t CopyClean(const char* s, size_t n, char* out);
  // The rest of a string from its first dirty character on, and the closing quote.
  void EscapeRest(std::string_view s);
  size_t EscapeOne(std::string_view s);

  static constexpr size_t kLeastRoom = 512;

  base::BufferBuilder& out_;
  char* base_ = nullptr;  // where the unflushed text begins
  char* p_ = nullptr;
  char* end_ = nullptr;
};

namespace internal {

// A bit per byte that must not be copied as it is: controls, non-ASCII, " \ & < >.
inline unsigned DirtyMask(__m128i v) {
  const __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));  // signed: >= 0x80 too
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  const __m128i amp = _mm_cmpeq_epi8(v, _mm_set1_epi8('&'));
  const __m128i angle =
      _mm_cmpeq_epi8(_mm_and_si128(v, _mm_set1_epi8(static_cast<char>(0xFD))), _mm_set1_epi8('<'));
  const __m128i any =
      _mm_or_si128(_mm_or_si128(_mm_or_si128(low, quote), _mm_or_si128(backslash, amp)), angle);
  return static_cast<unsigned>(_mm_movemask_epi8(any));
}

template <class T>
T Load(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace internal

inline size_t TokenWriter::CopyClean(const char* s, size_t n, char* out) {
  using internal::DirtyMask;
  using internal::Load;
  if (n >= 16) {
    auto block = [&](size_t at) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + at));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), v);
      return DirtyMask(v);
    };
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
      if (const unsigned dirty = block(i)) return i + static_cast<size_t>(std::countr_zero(dirty));
    if (i == n) return n;
    const unsigned dirty = block(n - 16);  // the part seen before is clean
    return dirty ? n - 16 + static_cast<size_t>(std::countr_zero(dirty)) : n;
  }
  if (n >= 8) {
    const uint64_t a = Load<uint64_t>(s), b = Load<uint64_t>(s + n - 8);
    std::memcpy(out, &a, 8);
    std::memcpy(out + n - 8, &b, 8);
    const unsigned dirty = DirtyMask(_mm_set_epi64x(static_cast<int64_t>(b), static_cast<int64_t>(a)));
    if (dirty == 0) return n;
    const size_t at = static_cast<size_t>(std::countr_zero(dirty));
    return at < 8 ? at : at + n - 16;
  }
  if (n >= 4) {
    const uint32_t a = Load<uint32_t>(s), b = Load<uint32_t>(s + n - 4);
    std::memcpy(out, &a, 4);
    std::memcpy(out + n - 4, &b, 4);
    const uint64_t both = a | uint64_t{b} << 32;
    const unsigned dirty = DirtyMask(_mm_cvtsi64_si128(static_cast<int64_t>(both))) & 0xFF;
    if (dirty == 0) return n;
    const size_t at = static_cast<size_t>(std::countr_zero(dirty));
    return at < 4 ? at : at + n - 8;
  }
  size_t i = 0;
  for (; i < n; ++i) {
    const unsigned char c = static_cast<unsigned char>(s[i]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || c == '&' || c == '<' || c == '>') return i;
    out[i] = static_cast<char>(c);
  }
  return i;
}

}  // namespace keelson::api::json

// CborReader: the items of a CBOR text that was found to be well formed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/arena.h"

namespace keelson::api::cbor {

enum class Major : uint8_t { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag, kSimple };
// As upstream's errors call it.
std::string_view MajorName(Major major);

// What makes `bytes` no single well-formed item, in upstream's words; nullopt when it is one.
// Numbers beyond JSON (NaN, infinity, bignums) count as malformed. Takes no stack by depth.
std::optional<std::string> FindMalformed(std::string_view bytes);

constexpr uint8_t kFalse = 20, kTrue = 21, kNull = 22, kUndefined = 23;
constexpr uint8_t kHalf = 25, kSingle = 26, kDouble = 27, kIndefinite = 31;
// Tags with a meaning. The three of a later encoding say that a byte string holds what JSON
// would show encoded.
constexpr uint64_t kTimeTag = 0, kEpochTag = 1;
constexpr uint64_t kBase64UrlTag = 21, kBase64Tag = 22, kBase16Tag = 23;

struct Head {
  Major major;
  uint8_t info;       // the low five bits of the first byte
  uint64_t argument;  // a number, a length, the bits of a float
};

class CborReader {
 public:
  // Requires: FindMalformed(bytes) found nothing. Strings in chunks are joined in `arena`.
  CborReader(std::string_view bytes, Arena& arena)
      : begin_(bytes.data()), p_(bytes.data()), end_(bytes.data() + bytes.size()), arena_(arena) {}

  size_t position() const { return static_cast<size_t>(p_ - begin_); }
  void MoveTo(size_t position) { p_ = begin_ + position; }
  std::string_view Range(size_t from, size_t to) const { return {begin_ + from, to - from}; }

  // Each requires that an item follows.
  Major Peek() const { return static_cast<Major>(static_cast<uint8_t>(*p_) >> 5); }
  bool AtNull() const { return static_cast<uint8_t>(*p_) == (7 << 5 | kNull); }
  bool AtUndefined() const { return static_cast<uint8_t>(*p_) == (7 << 5 | kUndefined); }
  Head Take();
  void Skip();

  // Whether element `i` of the array, or pair `i` of the map, that `head` began is there; the
  // end of one without a length is taken.
  bool More(const Head& head, uint64_t i) {
    if (head.info != kIndefinite) return i < head.argument;
    if (static_cast<uint8_t>(*p_) != 0xff) return true;
    ++p_;
    return false;
  }

  // A byte or text string. False when text is no good UTF-8; it is taken nonetheless.
  bool String(std::string_view* out);

 private:
  const char* const begin_;
  const char* p_;
  const char* const end_;
  Arena& arena_;
};

// The value of a simple item that is a float.
double FloatOf(const Head& head);

}  // namespace keelson::api::cbor

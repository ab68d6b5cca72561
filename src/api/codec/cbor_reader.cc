#include "api/codec/cbor_reader.h"

#include <simdjson.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "api/codec/json.h"

namespace keelson::api::cbor {
namespace {

constexpr size_t kMaxNested = 10'000;
constexpr uint64_t kMaxMapPairs = 2'097'152;
constexpr uint64_t kMaxElements = 2'147'483'647;
constexpr std::string_view kUnexpectedEnd = "unexpected EOF";

double HalfToDouble(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double value = exponent == 0    ? std::ldexp(mantissa, -24)
                       : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                        : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

// Walks over one item with all it contains, keeping the open containers in a vector.
class Scanner {
 public:
  Scanner(const char* begin, const char* end) : p_(begin), end_(end) {}

  const char* position() const { return p_; }
  const std::string& error() const { return error_; }

  bool Item() {
    do {
      if (!Next()) return false;
    } while (!open_.empty());
    return true;
  }

 private:
  struct Container {
    Major major;
    bool indefinite;
    uint64_t left;  // items; those of one without a length are counted from 0
  };

  // One item, or what ends a container.
  bool Next() {
    Close();
    if (!open_.empty() && open_.back().indefinite && p_ < end_ && static_cast<uint8_t>(*p_) == 0xff)
      return Break();
    if (!open_.empty() && !Count(open_.back())) return false;
    Head head;
    if (!TakeHead(&head)) return false;
    size_t tags = 0;
    while (head.major == Major::kTag) {
      if (head.argument == 2 || head.argument == 3) return Unacceptable("tag", "bignum");
      if (p_ == end_) return Fail(kUnexpectedEnd);
      if (tags++ > 0 && open_.size() + tags - 1 > kMaxNested) return TooDeep();
      if (!TakeHead(&head)) return false;
    }
    return Content(head, tags);
  }

  bool Content(const Head& head, size_t tags) {
    switch (head.major) {
      case Major::kBytes:
      case Major::kText: return head.info == kIndefinite ? Chunks(head.major) : Bytes(head);
      case Major::kArray:
      case Major::kMap: break;
      default: Close(); return true;
    }
    if (open_.size() + tags >= kMaxNested) return TooDeep();
    const bool map = head.major == Major::kMap;
    if (head.info == kIndefinite) {
      open_.push_back({head.major, true, 0});
      return true;
    }
    if (head.argument > INT64_MAX)
      return Fail("cbor: " + std::string(MajorName(head.major)) + " length " + std::to_string(head.argument) +
                  " is too large, it would cause integer overflow");
    if (!InLimit(map, head.argument)) return false;
    open_.push_back({head.major, false, map ? head.argument * 2 : head.argument});
    Close();
    return true;
  }

  bool Count(Container& container) {
    if (!container.indefinite) {
      --container.left;
      return true;
    }
    ++container.left;
    const bool map = container.major == Major::kMap;
    return InLimit(map, map ? container.left / 2 : container.left);
  }

  bool InLimit(bool map, uint64_t n) {
    if (n <= (map ? kMaxMapPairs : kMaxElements)) return true;
    return Fail(
        map ? "cbor: exceeded max number of key-value pairs " + std::to_string(kMaxMapPairs) + " for CBOR map"
            : "cbor: exceeded max number of elements " + std::to_string(kMaxElements) + " for CBOR array");
  }

  void Close() {
    while (!open_.empty() && !open_.back().indefinite && open_.back().left == 0) open_.pop_back();
  }

  bool Break() {
    if (open_.back().major == Major::kMap && open_.back().left % 2 == 1) return BadBreak();
    ++p_;
    open_.pop_back();
    Close();
    return true;
  }
  bool BadBreak() { return Fail("cbor: unexpected \"break\" code"); }

  bool Bytes(const Head& head) {
    if (head.argument > INT64_MAX)
      return Fail("cbor: " + std::string(MajorName(head.major)) + " length " + std::to_string(head.argument) +
                  " is too large, causing integer overflow");
    if (head.argument > static_cast<uint64_t>(end_ - p_)) return Fail(kUnexpectedEnd);
    p_ += head.argument;
    Close();
    return true;
  }

  bool Chunks(Major major) {
    const std::string name(MajorName(major));
    for (;;) {
      if (p_ == end_) return Fail(kUnexpectedEnd);
      const auto first = static_cast<uint8_t>(*p_);
      if (first == 0xff) break;
      const auto got = static_cast<Major>(first >> 5);
      if (got != major)
        return Fail("cbor: wrong element type " + std::string(MajorName(got)) + " for indefinite-length " +
                    name);
      if ((first & 31) == kIndefinite)
        return Fail("cbor: indefinite-length " + name + " chunk is not definite-length");
      Head chunk;
      if (!TakeHead(&chunk) || !Bytes(chunk)) return false;
    }
    ++p_;
    Close();
    return true;
  }

  bool TakeHead(Head* head) {
    if (p_ == end_) return Fail(kUnexpectedEnd);
    const auto first = static_cast<uint8_t>(*p_++);
    *head = {static_cast<Major>(first >> 5), static_cast<uint8_t>(first & 31), first & 31u};
    if (head->info < 24) return true;
    if (head->info > kDouble) return head->info == kIndefinite ? Indefinite(*head) : BadInfo(*head);
    const size_t size = size_t{1} << (head->info - 24);
    if (static_cast<size_t>(end_ - p_) < size) return Fail(kUnexpectedEnd);
    head->argument = 0;
    for (size_t i = 0; i < size; ++i) head->argument = head->argument << 8 | static_cast<uint8_t>(*p_++);
    return head->major != Major::kSimple || Simple(*head);
  }

  bool Simple(const Head& head) {
    if (head.info == 24) {
      if (head.argument >= 32) return true;
      return Fail("cbor: invalid simple value " + std::to_string(head.argument) + " for type primitives");
    }
    const double value = FloatOf(head);
    if (std::isnan(value)) return Unacceptable("primitives", "floating-point NaN");
    if (std::isinf(value)) return Unacceptable("primitives", "floating-point infinity");
    return true;
  }

  bool Indefinite(const Head& head) {
    switch (head.major) {
      case Major::kUnsigned:
      case Major::kNegative:
      case Major::kTag: return BadInfo(head);
      case Major::kSimple: return BadBreak();
      default: return true;
    }
  }
  bool BadInfo(const Head& head) {
    return Fail("cbor: invalid additional information " + std::to_string(head.info) + " for type " +
                std::string(MajorName(head.major)));
  }
  bool TooDeep() { return Fail("cbor: exceeded max nested level " + std::to_string(kMaxNested)); }
  bool Unacceptable(std::string_view type, std::string_view what) {
    return Fail("cbor: data item of cbor type " + std::string(type) +
                " is not accepted by protocol: " + std::string(what));
  }
  bool Fail(std::string_view why) {
    error_ = why;
    return false;
  }

  const char* p_;
  const char* const end_;
  std::vector<Container> open_;
  std::string error_;
};

}  // namespace

std::string_view MajorName(Major major) {
  switch (major) {
    case Major::kUnsigned: return "positive integer";
    case Major::kNegative: return "negative integer";
    case Major::kBytes: return "byte string";
    case Major::kText: return "UTF-8 text string";
    case Major::kArray: return "array";
    case Major::kMap: return "map";
    case Major::kTag: return "tag";
    case Major::kSimple: return "primitives";
  }
  std::abort();
}

std::optional<std::string> FindMalformed(std::string_view bytes) {
  if (bytes.empty()) return "EOF";
  Scanner scanner(bytes.data(), bytes.data() + bytes.size());
  if (!scanner.Item()) return scanner.error();
  const size_t size = static_cast<size_t>(scanner.position() - bytes.data());
  if (size == bytes.size()) return std::nullopt;
  return "cbor: " + std::to_string(bytes.size() - size) + " bytes of extraneous data starting at index " +
         std::to_string(size);
}

double FloatOf(const Head& head) {
  switch (head.info) {
    case kHalf: return HalfToDouble(static_cast<uint16_t>(head.argument));
    case kSingle: return std::bit_cast<float>(static_cast<uint32_t>(head.argument));
    default: return std::bit_cast<double>(head.argument);
  }
}

Head CborReader::Take() {
  const auto first = static_cast<uint8_t>(*p_++);
  Head head{static_cast<Major>(first >> 5), static_cast<uint8_t>(first & 31), first & 31u};
  if (head.info < 24 || head.info == kIndefinite) return head;
  head.argument = 0;
  for (size_t size = size_t{1} << (head.info - 24); size > 0; --size)
    head.argument = head.argument << 8 | static_cast<uint8_t>(*p_++);
  return head;
}

void CborReader::Skip() {
  Scanner scanner(p_, end_);
  scanner.Item();
  p_ = scanner.position();
}

bool CborReader::String(std::string_view* out) {
  const Head head = Take();
  if (head.info != kIndefinite) {
    *out = {p_, head.argument};
    p_ += head.argument;
  } else {
    size_t size = 0;
    const char* const chunks = p_;
    for (uint64_t i = 0; More(head, i); ++i) {
      const uint64_t n = Take().argument;
      size += n;
      p_ += n;
    }
    char* const joined = static_cast<char*>(arena_.Allocate(size, 1));
    char* w = joined;
    p_ = chunks;
    for (uint64_t i = 0; More(head, i); ++i) {
      const uint64_t n = Take().argument;
      std::memcpy(w, p_, n);
      w += n;
      p_ += n;
    }
    *out = {joined, size};
  }
  return head.major != Major::kText || simdjson::validate_utf8(out->data(), out->size());
}

}  // namespace keelson::api::cbor

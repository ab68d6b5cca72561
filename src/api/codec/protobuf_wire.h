// The wire format of protocol buffers: varints, tags, a reader that never runs over the
// end, and the small messages that stand for one value. Shared by codec and transcoder.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace keelson::api::protobuf {

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

constexpr uint32_t Tag(uint32_t number, WireType type) { return number << 3 | type; }

constexpr size_t VarintSize(uint64_t v) { return (static_cast<size_t>(std::bit_width(v | 1)) + 6) / 7; }

// Writes VarintSize(v) bytes; returns their end.
inline char* WriteVarint(uint64_t v, char* out) {
  for (; v >= 0x80; v >>= 7) *out++ = static_cast<char>(v | 0x80);
  *out++ = static_cast<char>(v);
  return out;
}

// Reads one message. Every method returns false when the bytes are malformed, and the
// reader must not be used after that.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return p_ == end_; }
  const char* position() const { return p_; }

  bool Varint(uint64_t* v) {
    if (p_ < end_ && static_cast<signed char>(*p_) >= 0) [[likely]] {
      *v = static_cast<unsigned char>(*p_++);
      return true;
    }
    return LongVarint(v);
  }
  // Field number (never 0) and wire type.
  bool Tag(uint32_t* number, uint32_t* type) {
    uint64_t tag;
    if (!Varint(&tag)) return false;
    *type = static_cast<uint32_t>(tag & 7);
    *number = static_cast<uint32_t>(tag >> 3);
    return *number != 0 && tag >> 3 <= 0x1FFFFFFF;
  }
  // The bytes of a field of wire type kBytes.
  bool Bytes(std::string_view* bytes) {
    uint64_t size;
    if (!Varint(&size) || size > static_cast<uint64_t>(end_ - p_)) return false;
    *bytes = {p_, static_cast<size_t>(size)};
    p_ += size;
    return true;
  }
  bool Fixed64(uint64_t* v) {
    if (end_ - p_ < 8) return false;
    std::memcpy(v, p_, 8);
    p_ += 8;
    return true;
  }
  // Whether the next tag is this one-byte tag; takes it if so.
  bool TakeTag(uint32_t tag) {
    if (tag < 0x80) {
      if (p_ == end_ || static_cast<unsigned char>(*p_) != tag) return false;
      ++p_;
      return true;
    }
    const char* before = p_;
    uint64_t found;
    if (p_ < end_ && Varint(&found) && found == tag) return true;
    p_ = before;
    return false;
  }
  // The value of a field that nobody asked for.
  bool Skip(uint32_t type) {
    if (type != kStartGroup) return SkipSimple(type);
    for (size_t depth = 1; depth > 0;) {
      uint32_t number;
      if (!Tag(&number, &type)) return false;
      if (type == kStartGroup) {
        ++depth;
      } else if (type == kEndGroup) {
        --depth;
      } else if (!SkipSimple(type)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool SkipSimple(uint32_t type) {
    uint64_t v;
    std::string_view bytes;
    switch (type) {
      case kVarint: return Varint(&v);
      case kFixed64: return Fixed64(&v);
      case kBytes: return Bytes(&bytes);
      case kFixed32:
        if (end_ - p_ < 4) return false;
        p_ += 4;
        return true;
      default: return false;
    }
  }
  bool LongVarint(uint64_t* v) {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (p_ == end_) return false;
      const auto byte = static_cast<unsigned char>(*p_++);
      result |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        *v = result;
        return true;
      }
    }
    return false;
  }

  const char* p_;
  const char* const end_;
};

// {1: seconds, 2: nanos}
struct WireTime {
  uint64_t seconds = 0, nanos = 0;
};
inline bool ReadTime(std::string_view bytes, WireTime* out) {
  WireReader r(bytes);
  uint32_t number, type;
  while (!r.done()) {
    if (!r.Tag(&number, &type)) return false;
    if (number > 2) {
      if (!r.Skip(type)) return false;
    } else if (type != kVarint || !r.Varint(number == 1 ? &out->seconds : &out->nanos)) {
      return false;
    }
  }
  return true;
}

// Unix microseconds of a wire time; false when int64 cannot hold them.
inline bool MicrosOf(const WireTime& t, int64_t* micros) {
  const int64_t nanos = static_cast<int32_t>(t.nanos);
  return !__builtin_mul_overflow(static_cast<int64_t>(t.seconds), int64_t{1'000'000}, micros) &&
         !__builtin_add_overflow(*micros, nanos >= 0 ? nanos / 1'000 : (nanos - 999) / 1'000, micros);
}

// {1: type, 2: int, 3: string}
struct WireIntOrString {
  uint64_t type = 0, number = 0;
  std::string_view text;
};
inline bool ReadIntOrString(std::string_view bytes, WireIntOrString* out) {
  WireReader r(bytes);
  uint32_t number, type;
  while (!r.done()) {
    if (!r.Tag(&number, &type)) return false;
    bool ok = false;
    switch (number) {
      case 1: ok = type == kVarint && r.Varint(&out->type); break;
      case 2: ok = type == kVarint && r.Varint(&out->number); break;
      case 3: ok = type == kBytes && r.Bytes(&out->text); break;
      default: ok = r.Skip(type);
    }
    if (!ok) return false;
  }
  return true;
}

// {1: bytes}, the last of them; *present tells whether there is one.
inline bool ReadWrappedBytes(std::string_view bytes, std::string_view* out, bool* present) {
  WireReader r(bytes);
  uint32_t number, type;
  *present = false;
  while (!r.done()) {
    if (!r.Tag(&number, &type)) return false;
    if (number != 1) {
      if (!r.Skip(type)) return false;
      continue;
    }
    if (type != kBytes || !r.Bytes(out)) return false;
    *present = true;
  }
  return true;
}

// {1: varint}
inline bool ReadWrappedVarint(std::string_view bytes, uint64_t* out) {
  WireReader r(bytes);
  uint32_t number, type;
  while (!r.done()) {
    if (!r.Tag(&number, &type)) return false;
    if (number == 1 ? type != kVarint || !r.Varint(out) : !r.Skip(type)) return false;
  }
  return true;
}

}  // namespace keelson::api::protobuf

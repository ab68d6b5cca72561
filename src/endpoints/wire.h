// The few protobuf pieces that answers are framed with.
#pragma once

#include <cstdint>

#include "base/slice.h"

namespace keelson::endpoints::wire {

// Fields of every root message, and of its metadata.
constexpr uint32_t kMetadataField = 1;
constexpr uint32_t kResourceVersionField = 6, kAnnotationsField = 12;

inline size_t VarintSize(uint64_t v) {
  size_t n = 1;
  for (; v >= 0x80; v >>= 7) ++n;
  return n;
}

inline void AppendVarint(uint64_t v, base::BufferBuilder& out) {
  for (; v >= 0x80; v >>= 7) out.Append(static_cast<char>(v | 0x80));
  out.Append(static_cast<char>(v));
}

// Tag and length of a bytes, string or message field; `size` bytes must follow.
inline void AppendBytesHead(uint32_t field, size_t size, base::BufferBuilder& out) {
  AppendVarint(field << 3 | 2, out);
  AppendVarint(size, out);
}
// Of the whole field: tag, length and content.
inline size_t BytesSize(uint32_t field, size_t size) {
  return VarintSize(field << 3) + VarintSize(size) + size;
}

inline void AppendBytes(uint32_t field, std::string_view bytes, base::BufferBuilder& out) {
  AppendBytesHead(field, bytes.size(), out);
  out.Append(bytes);
}

inline void AppendInt(uint32_t field, int64_t value, base::BufferBuilder& out) {
  AppendVarint(field << 3, out);
  AppendVarint(static_cast<uint64_t>(value), out);
}

}  // namespace keelson::endpoints::wire

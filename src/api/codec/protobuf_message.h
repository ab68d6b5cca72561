// MessageWriter: writes messages of other programs' protocols (etcd, OTLP), for which there is no
// description.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/protobuf_wire.h"

namespace keelson::api::protobuf {

// Sizes before bytes, so that a message is written once, whatever it is nested in. As proto3
// has it, a number or text that is zero or empty is left out.
inline size_t NumberSize(uint32_t field, uint64_t v) {
  return v == 0 ? 0 : VarintSize(Tag(field, kVarint)) + VarintSize(v);
}
inline size_t BytesSize(uint32_t field, size_t n) {
  return VarintSize(Tag(field, kBytes)) + VarintSize(n) + n;
}
inline size_t TextSize(uint32_t field, std::string_view s) {
  return s.empty() ? 0 : BytesSize(field, s.size());
}

class MessageWriter {
 public:
  explicit MessageWriter(size_t size = 0) { out_.reserve(size); }

  void PresentNumber(uint32_t field, uint64_t v) {
    Varint(Tag(field, kVarint));
    Varint(v);
  }
  void Number(uint32_t field, uint64_t v) {
    if (v != 0) PresentNumber(field, v);
  }
  void Begin(uint32_t field, size_t size) {
    Varint(Tag(field, kBytes));
    Varint(size);
  }
  void Text(uint32_t field, std::string_view s) {
    if (!s.empty()) PresentText(field, s);
  }
  // Also if it is empty.
  void PresentText(uint32_t field, std::string_view s) {
    Begin(field, s.size());
    out_ += s;
  }
  void Fixed64(uint32_t field, uint64_t v) { Fixed(Tag(field, kFixed64), v); }
  void Fixed32(uint32_t field, uint32_t v) { Fixed(Tag(field, kFixed32), v); }
  std::string Take() { return std::move(out_); }

 private:
  void Varint(uint64_t v) {
    char buffer[10];
    out_.append(buffer, static_cast<size_t>(api::protobuf::WriteVarint(v, buffer) - buffer));
  }
  template <class Number>
  void Fixed(uint32_t tag, Number v) {
    Varint(tag);
    char bytes[sizeof(v)];
    for (size_t i = 0; i < sizeof(v); ++i) bytes[i] = static_cast<char>(v >> (8 * i));
    out_.append(bytes, sizeof(v));
  }

  std::string out_;
};

}  // namespace keelson::api::protobuf

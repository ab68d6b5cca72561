// The parts that etcd's messages are written and read by, for its client here and for whoever answers as
// etcd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/protobuf_wire.h"
#include "base/slice.h"

namespace keelson::storage::etcd3 {

using api::protobuf::kBytes;
using api::protobuf::kVarint;
using api::protobuf::Tag;
using api::protobuf::VarintSize;
using api::protobuf::WireReader;

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

class Writer {
 public:
  explicit Writer(size_t size = 0) { out_.reserve(size); }

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
    if (s.empty()) return;
    Begin(field, s.size());
    out_ += s;
  }
  std::string Take() { return std::move(out_); }

 private:
  void Varint(uint64_t v) {
    char buffer[10];
    out_.append(buffer, static_cast<size_t>(api::protobuf::WriteVarint(v, buffer) - buffer));
  }
  std::string out_;
};

inline uint64_t Unsigned(int64_t v) { return static_cast<uint64_t>(v); }

// Calls `field(number, type, reader)` for each; it returns false when it cannot read its value.
template <class F>
bool ForEachField(std::string_view bytes, F field) {
  WireReader r(bytes);
  while (!r.done()) {
    uint32_t number, type;
    if (!r.Tag(&number, &type) || !field(number, type, r)) return false;
  }
  return true;
}

inline bool ReadNumber(uint32_t type, WireReader& r, int64_t* out) {
  uint64_t v;
  if (type != kVarint || !r.Varint(&v)) return false;
  *out = static_cast<int64_t>(v);
  return true;
}
inline bool ReadBool(uint32_t type, WireReader& r, bool* out) {
  int64_t v;
  if (!ReadNumber(type, r, &v)) return false;
  *out = v != 0;
  return true;
}
inline bool ReadBytes(uint32_t type, WireReader& r, std::string_view* out) {
  return type == kBytes && r.Bytes(out);
}

// `part` lies in `message`.
inline base::Slice SliceOf(const base::Slice& message, std::string_view part) {
  return part.empty() ? base::Slice()
                      : message.Sub(static_cast<size_t>(part.data() - message.data()), part.size());
}

}  // namespace keelson::storage::etcd3

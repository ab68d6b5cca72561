// The parts that etcd's messages are written and read by, for its client here and for whoever answers as
// etcd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/protobuf_message.h"
#include "base/slice.h"

namespace keelson::storage::etcd3 {

using api::protobuf::BytesSize;
using api::protobuf::kBytes;
using api::protobuf::kVarint;
using api::protobuf::NumberSize;
using api::protobuf::Tag;
using api::protobuf::TextSize;
using api::protobuf::VarintSize;
using api::protobuf::WireReader;
using Writer = api::protobuf::MessageWriter;

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

// What a plain YAML scalar stands for, as upstream's YAML 1.1 parser resolves it.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::api::yaml {

struct Scalar {
  enum class Tag : uint8_t { kString, kNull, kBool, kInt, kUint, kFloat, kTimestamp, kMerge };
  Tag tag = Tag::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;  // kUint: beyond int64
  double real = 0;
};

// `text` as it stands in the document, unquoted. A timestamp is kept as its text.
Scalar ResolvePlain(std::string_view text);

// Whether YAML 1.1 would read `text` as a number in base 60 ("1:30"), which upstream
// quotes although it does not read it so.
bool IsBase60(std::string_view text);

}  // namespace keelson::api::yaml

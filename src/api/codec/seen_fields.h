// SeenFields: which members of a struct a document has had, so that a second one is found.
#pragma once

#include <cstdint>
#include <vector>

#include "api/types/type_desc.h"

namespace keelson::api {

// Fields of the type, its inline members included, that were seen; for duplicates.
class SeenFields {
 public:
  // Marks the member; true when it was marked before.
  bool Mark(const TypeDesc& type, const MemberRef& member) {
    const size_t bit = member.outer ? type.fields.size() + member.index : member.field->ordinal;
    const size_t word = bit / 64;
    const uint64_t mask = uint64_t{1} << (bit % 64);
    if (word >= kInlineWords && more_.size() <= word) more_.resize(word + 1);
    uint64_t& bits = word < kInlineWords ? words_[word] : more_[word];
    const bool before = (bits & mask) != 0;
    bits |= mask;
    return before;
  }

 private:
  static constexpr size_t kInlineWords = 2;
  uint64_t words_[kInlineWords] = {};
  std::vector<uint64_t> more_;
};

}  // namespace keelson::api

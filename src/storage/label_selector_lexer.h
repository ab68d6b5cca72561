// The tokens of a label selector.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace keelson::storage {

struct LabelToken {
  enum class Type : uint8_t {
    kEnd,
    kIdentifier,
    kIn,
    kNotIn,
    kEquals,
    kNotEquals,
    kGreater,
    kLess,
    kNot,
    kComma,
    kOpen,
    kClose,
  };
  Type type = Type::kEnd;
  std::string_view text;  // into the input
};

// Every text has tokens; the last is always kEnd. A NUL byte ends the text, as upstream's
// lexer has it.
std::vector<LabelToken> LexLabelSelector(std::string_view text);

}  // namespace keelson::storage

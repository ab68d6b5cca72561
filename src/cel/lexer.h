// The tokens of an expression.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cel/source.h"

namespace keelson::cel {

// In the order in which messages list what was expected.
enum class TokenKind : uint8_t {
  kEnd,
  kEqual,
  kNotEqual,
  kIn,
  kLess,
  kLessEqual,
  kGreaterEqual,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kEscapedIdentifier,
};
constexpr size_t kTokenKinds = 36;

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t begin = 0, end = 0;  // code points
};

// As messages name it: '+', IDENTIFIER, <EOF>.
std::string_view TokenName(TokenKind kind);

// All tokens, the end included. What is no token is an issue and left out.
std::vector<Token> Tokenize(const Source& source, Issues& issues);

}  // namespace keelson::cel

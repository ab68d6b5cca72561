#include "storage/label_selector_lexer.h"

namespace keelson::storage {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kDelimiters(" \t\r\n=!(),><\0", 12);

LabelToken::Type WordType(std::string_view word) {
  if (word == "in") return LabelToken::Type::kIn;
  if (word == "notin") return LabelToken::Type::kNotIn;
  return LabelToken::Type::kIdentifier;
}

}  // namespace

std::vector<LabelToken> LexLabelSelector(std::string_view text) {
  using Type = LabelToken::Type;
  text = text.substr(0, text.find('\0'));
  std::vector<LabelToken> tokens;
  for (size_t at = text.find_first_not_of(kBlank); at < text.size();
       at = text.find_first_not_of(kBlank, at)) {
    const bool equals_follows = at + 1 < text.size() && text[at + 1] == '=';
    Type type = Type::kIdentifier;
    size_t size = 1;
    switch (text[at]) {
      case '=':
        type = Type::kEquals;
        size = equals_follows ? 2 : 1;
        break;
      case '!':
        type = equals_follows ? Type::kNotEquals : Type::kNot;
        size = equals_follows ? 2 : 1;
        break;
      case '(': type = Type::kOpen; break;
      case ')': type = Type::kClose; break;
      case ',': type = Type::kComma; break;
      case '>': type = Type::kGreater; break;
      case '<': type = Type::kLess; break;
      default:
        size = text.find_first_of(kDelimiters, at);
        if (size == std::string_view::npos) size = text.size();
        size -= at;
        type = WordType(text.substr(at, size));
    }
    tokens.push_back({type, text.substr(at, size)});
    at += size;
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace keelson::storage

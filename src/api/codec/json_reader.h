// JsonReader: the tokens of one JSON text, checked as Go checks them and with its error
// texts. It needs no padding after the text, accepts what Go accepts (lone surrogates,
// numbers of any size) and validates what it skips.
//
// After a method returned false the text is malformed, error() says how, and the reader
// must not be used further.
#pragma once

#include <string>
#include <string_view>

#include "api/types/arena.h"

namespace keelson::api::json {

class JsonReader {
 public:
  // Unescaped strings are made in `arena`; all others point into `text`.
  JsonReader(std::string_view text, Arena& arena)
      : p_(text.data()), end_(text.data() + text.size()), arena_(arena) {}

  // The next character that is not white space; 0 at the end of the text.
  char Peek() {
    while (p_ < end_ && IsSpace(*p_)) ++p_;
    return p_ < end_ ? *p_ : '\0';
  }

  // Each requires that Peek() saw the first character of the token.
  bool String(std::string_view* out);
  bool Number(std::string_view* token);
  bool Literal(std::string_view word);                                      // true, false, null
  bool Skip(std::string_view* token = nullptr, bool* has_space = nullptr);  // any value

  // Begins an object or array; EndContainer ends it.
  bool BeginContainer();
  void EndContainer() { --depth_; }
  // The name of the next member and its colon, or *more = false when '}' was taken.
  // `first`: right after BeginContainer.
  bool NextMember(bool first, std::string_view* name, bool* more);
  // Steps to the next element, or *more = false when ']' was taken.
  bool NextElement(bool first, bool* more);
  // Nothing but white space follows.
  bool AtEnd();

  // Fails with "invalid character 'x' <context>" or the end of the text.
  bool Unexpected(std::string_view context);
  bool Fail(std::string_view message) {
    error_ = message;
    return false;
  }
  const std::string& error() const { return error_; }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  bool Unescape(const char* start, std::string_view* out);
  bool UnicodeEscape(uint32_t* unit);
  bool SkipScalar(char c);
  bool SkipString();
  bool Digits(std::string_view context);

  const char* p_;
  const char* const end_;
  Arena& arena_;
  int depth_ = 0;
  std::string error_;
};

}  // namespace keelson::api::json

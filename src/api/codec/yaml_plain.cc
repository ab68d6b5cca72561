#include <cstddef>

#include "api/codec/yaml.h"

namespace keelson::api::yaml {
namespace {

// Beyond these a number or a key may be something else in YAML.
constexpr size_t kMaxDigits = 18, kMaxKey = 1000;

// Reads on as long as nothing is in doubt.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool Document() {
    Space();
    if (!Is('{') || !Value(0)) return false;
    Space();
    return at_ == end_;
  }

 private:
  bool Is(char c) const { return at_ != end_ && *at_ == c; }
  bool Take(char c) {
    if (!Is(c)) return false;
    ++at_;
    return true;
  }
  void Space() {
    while (Is(' ') || Is('\n') || Is('\r')) ++at_;
  }
  bool Word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool Value(int depth) {
    if (at_ == end_ || depth == kMaxDepth) return false;
    switch (*at_) {
      case '{': return Items('}', depth, true);
      case '[': return Items(']', depth, false);
      case '"': return String(false);
      case 't': return Word("true");
      case 'f': return Word("false");
      case 'n': return Word("null");
      default: return Integer();
    }
  }

  bool Items(char close, int depth, bool named) {
    ++at_;
    Space();
    if (Take(close)) return true;
    while (true) {
      if (named) {
        if (!String(true)) return false;
        Space();
        if (!Take(':')) return false;
        Space();
      }
      if (!Value(depth + 1)) return false;
      Space();
      if (Take(close)) return true;
      if (!Take(',')) return false;
      Space();
    }
  }

  bool String(bool key) {
    if (!Take('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ < 0x20 || *at_ > 0x7e) return false;
      if (*at_ == '\\') {
        ++at_;
        if (at_ == end_ || std::string_view("\"\\nt").find(*at_) == std::string_view::npos) return false;
      }
      ++at_;
    }
    const std::string_view text(begin, at_);
    if (key && (text.size() > kMaxKey || text == "<<")) return false;
    return Take('"');
  }

  bool Integer() {
    const bool negative = Take('-');
    const char* const begin = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    const auto digits = static_cast<size_t>(at_ - begin);
    if (digits == 0 || digits > kMaxDigits || (*begin == '0' && (digits > 1 || negative))) return false;
    return at_ != end_ && std::string_view(" \n\r,]}").find(*at_) != std::string_view::npos;
  }

  const char* at_;
  const char* const end_;
};

}  // namespace

bool IsPlainJsonObject(std::string_view text) { return PlainReader(text).Document(); }

}  // namespace keelson::api::yaml

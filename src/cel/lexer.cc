#include "cel/lexer.h"

#include <optional>
#include <string>

#include "base/ascii.h"

namespace keelson::cel {
namespace {

using K = TokenKind;

using base::IsDigit;

bool IsHex(char32_t c) { return base::HexValue(c) >= 0; }
bool StartsName(char32_t c) { return base::IsLetter(c) || c == '_'; }
bool IsBlank(char32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

class Lexer {
 public:
  Lexer(const Source& source, Issues& issues) : source_(source), issues_(issues) {}

  std::vector<Token> Run() {
    while (true) {
      while (IsBlank(At(at_))) ++at_;
      if (At(at_) == '/' && At(at_ + 1) == '/') {
        while (at_ < source_.size() && At(at_) != '\n') ++at_;
        continue;
      }
      if (at_ >= source_.size()) break;
      Next();
    }
    const auto end = static_cast<uint32_t>(source_.size());
    tokens_.push_back({K::kEnd, end, end});
    return std::move(tokens_);
  }

 private:
  // NUL past the end, which no rule takes.
  char32_t At(size_t i) const { return i < source_.size() ? source_.at(i) : U'\0'; }

  void Emit(K kind, size_t end) {
    tokens_.push_back({kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(end)});
    at_ = end;
  }

  // No token starts here; `stop` is the character that ended all hope. It goes, too.
  void Refuse(size_t stop) {
    issues_.Add(source_.LocationOf(at_), "Syntax error: token recognition error at: '" +
                                             std::string(source_.Slice(at_, stop + 1)) + "'");
    at_ = stop + 1;
  }

  void Next() {
    const char32_t c = At(at_);
    if (c == '"' || c == '\'') return QuotedText(at_, K::kString);
    if (StartsName(c)) return Word();
    if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) return Number();
    if (c == '`') return EscapedIdentifier();
    Symbol(c);
  }

  void Symbol(char32_t c) {
    const char32_t next = At(at_ + 1);
    switch (c) {
      case '=': return next == '=' ? Emit(K::kEqual, at_ + 2) : Refuse(at_ + 1);
      case '&': return next == '&' ? Emit(K::kAnd, at_ + 2) : Refuse(at_ + 1);
      case '|': return next == '|' ? Emit(K::kOr, at_ + 2) : Refuse(at_ + 1);
      case '!': return next == '=' ? Emit(K::kNotEqual, at_ + 2) : Emit(K::kNot, at_ + 1);
      case '<': return next == '=' ? Emit(K::kLessEqual, at_ + 2) : Emit(K::kLess, at_ + 1);
      case '>': return next == '=' ? Emit(K::kGreaterEqual, at_ + 2) : Emit(K::kGreater, at_ + 1);
      case '[': return Emit(K::kLeftBracket, at_ + 1);
      case ']': return Emit(K::kRightBracket, at_ + 1);
      case '{': return Emit(K::kLeftBrace, at_ + 1);
      case '}': return Emit(K::kRightBrace, at_ + 1);
      case '(': return Emit(K::kLeftParen, at_ + 1);
      case ')': return Emit(K::kRightParen, at_ + 1);
      case '.': return Emit(K::kDot, at_ + 1);
      case ',': return Emit(K::kComma, at_ + 1);
      case '-': return Emit(K::kMinus, at_ + 1);
      case '?': return Emit(K::kQuestion, at_ + 1);
      case ':': return Emit(K::kColon, at_ + 1);
      case '+': return Emit(K::kPlus, at_ + 1);
      case '*': return Emit(K::kStar, at_ + 1);
      case '/': return Emit(K::kSlash, at_ + 1);
      case '%': return Emit(K::kPercent, at_ + 1);
      default: return Refuse(at_);
    }
  }

  void Word() {
    size_t quote = at_;
    K kind = K::kString;
    if (At(quote) == 'b' || At(quote) == 'B') {
      kind = K::kBytes;
      ++quote;
    }
    if (At(quote) == 'r' || At(quote) == 'R') ++quote;
    if (quote > at_ && (At(quote) == '"' || At(quote) == '\'')) {
      if (const auto end = TextEnd(quote).end) return Emit(kind, *end);
    }
    size_t end = at_;
    while (StartsName(At(end)) || IsDigit(At(end))) ++end;
    const std::string_view word = source_.Slice(at_, end);
    Emit(word == "in"      ? K::kIn
         : word == "true"  ? K::kTrue
         : word == "false" ? K::kFalse
         : word == "null"  ? K::kNull
                           : K::kIdentifier,
         end);
  }

  void QuotedText(size_t quote, K kind) {
    const TextScan scan = TextEnd(quote);
    scan.end ? Emit(kind, *scan.end) : Refuse(scan.stop);
  }

  struct TextScan {
    std::optional<size_t> end;  // past the closing quote
    size_t stop = 0;            // where it failed
  };
  bool Raw(size_t quote) const { return quote > at_ && (At(quote - 1) == 'r' || At(quote - 1) == 'R'); }

  TextScan TextEnd(size_t quote) const {
    const char32_t q = At(quote);
    if (At(quote + 1) == q && At(quote + 2) == q) {
      const TextScan triple = Triple(quote + 3, q, Raw(quote));
      // Three quotes that open nothing are an empty text and one more quote.
      return triple.end ? triple : TextScan{quote + 2, 0};
    }
    size_t i = quote + 1;
    while (i < source_.size()) {
      const char32_t c = At(i);
      if (c == q) return {i + 1, 0};
      if (c == '\n' || c == '\r') return {std::nullopt, i};
      if (c == '\\' && !Raw(quote)) {
        if (const size_t bad = SkipEscape(i)) return {std::nullopt, bad};
        continue;
      }
      ++i;
    }
    return {std::nullopt, source_.size()};
  }

  TextScan Triple(size_t i, char32_t q, bool raw) const {
    while (i < source_.size()) {
      if (At(i) == q && At(i + 1) == q && At(i + 2) == q) return {i + 3, 0};
      if (At(i) == '\\' && !raw) {
        if (const size_t bad = SkipEscape(i)) return {std::nullopt, bad};
        continue;
      }
      ++i;
    }
    return {std::nullopt, source_.size()};
  }

  // Moves `i` past an escape; else where it fails.
  size_t SkipEscape(size_t& i) const {
    const char32_t c = At(i + 1);
    size_t digits = 0;
    bool octal = false;
    switch (c) {
      case 'a':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case '"':
      case '\'':
      case '\\':
      case '?':
      case '`': i += 2; return 0;
      case 'x':
      case 'X': digits = 2; break;
      case 'u': digits = 4; break;
      case 'U': digits = 8; break;
      case '0':
      case '1':
      case '2':
      case '3':
        digits = 2;
        octal = true;
        break;
      default: return i + 1;
    }
    for (size_t k = 0; k < digits; ++k) {
      const char32_t d = At(i + 2 + k);
      if (octal ? d < '0' || d > '7' : !IsHex(d)) return i + 2 + k;
    }
    i += 2 + digits;
    return 0;
  }

  size_t Digits(size_t i) const {
    while (IsDigit(At(i))) ++i;
    return i;
  }

  // The end of an exponent that starts at `i`; `i` itself when there is none.
  size_t Exponent(size_t i) const {
    if (At(i) != 'e' && At(i) != 'E') return i;
    size_t digits = i + 1;
    if (At(digits) == '+' || At(digits) == '-') ++digits;
    return IsDigit(At(digits)) ? Digits(digits) : i;
  }

  void Number() {
    if (At(at_) == '0' && At(at_ + 1) == 'x' && IsHex(At(at_ + 2))) {
      size_t end = at_ + 2;
      while (IsHex(At(end))) ++end;
      return At(end) == 'u' || At(end) == 'U' ? Emit(K::kUint, end + 1) : Emit(K::kInt, end);
    }
    const size_t whole = Digits(at_);
    if (At(whole) == '.' && IsDigit(At(whole + 1))) return Emit(K::kFloat, Exponent(Digits(whole + 1)));
    if (const size_t end = Exponent(whole); end != whole) return Emit(K::kFloat, end);
    At(whole) == 'u' || At(whole) == 'U' ? Emit(K::kUint, whole + 1) : Emit(K::kInt, whole);
  }

  void EscapedIdentifier() {
    size_t end = at_ + 1;
    const auto allowed = [](char32_t c) {
      return StartsName(c) || IsDigit(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (allowed(At(end))) ++end;
    At(end) == '`' && end > at_ + 1 ? Emit(K::kEscapedIdentifier, end + 1) : Refuse(end);
  }

  const Source& source_;
  Issues& issues_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::string_view TokenName(TokenKind kind) {
  static constexpr std::string_view kNames[kTokenKinds] = {
      "<EOF>",  "'=='",  "'!='",       "'in'",          "'<'",    "'<='",      "'>='",    "'>'",
      "'&&'",   "'||'",  "'['",        "']'",           "'{'",    "'}'",       "'('",     "')'",
      "'.'",    "','",   "'-'",        "'!'",           "'?'",    "':'",       "'+'",     "'*'",
      "'/'",    "'%'",   "'true'",     "'false'",       "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT",
      "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Token> Tokenize(const Source& source, Issues& issues) { return Lexer(source, issues).Run(); }

}  // namespace keelson::cel

#include "base/regex.h"

#include <re2/re2.h>

namespace keelson::base {
namespace {

// Patterns are written by users, so what they may cost is bounded.
constexpr int64_t kMaxMemory = 8 << 20;

std::string_view Reason(re2::RE2::ErrorCode code) {
  using re2::RE2;
  switch (code) {
    case RE2::ErrorBadEscape: return "invalid escape sequence";
    case RE2::ErrorBadCharClass: return "invalid character class";
    case RE2::ErrorBadCharRange: return "invalid character class range";
    case RE2::ErrorMissingBracket: return "missing closing ]";
    case RE2::ErrorMissingParen: return "missing closing )";
    case RE2::ErrorUnexpectedParen: return "unexpected )";
    case RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize: return "invalid repeat count";
    case RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8: return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture: return "invalid named capture";
    case RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

re2::RE2::Options Options() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxMemory);
  return options;
}

size_t RuneSize(std::string_view text, size_t at) {
  size_t size = 1;
  while (at + size < text.size() && (static_cast<uint8_t>(text[at + size]) & 0xC0) == 0x80) ++size;
  return size;
}

}  // namespace

struct Regex::Compiled {
  explicit Compiled(std::string_view pattern)
      : re(re2::StringPiece(pattern.data(), pattern.size()), Options()) {}
  re2::RE2 re;
};

Result<Regex, std::string> Regex::Compile(std::string_view pattern) {
  auto compiled = std::make_shared<const Compiled>(pattern);
  if (compiled->re.ok()) return Regex(std::move(compiled));
  const re2::RE2& re = compiled->re;
  // Go names the whole pattern where a bracket or parenthesis is missing.
  const bool whole =
      re.error_code() == re2::RE2::ErrorMissingParen || re.error_code() == re2::RE2::ErrorUnexpectedParen;
  return Err("error parsing regexp: " + std::string(Reason(re.error_code())) + ": `" +
             (whole ? std::string(pattern) : re.error_arg()) + "`");
}

bool Regex::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

bool Regex::MatchesWhole(std::string_view text) const {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

std::string_view Regex::Find(std::string_view text) const {
  re2::StringPiece match;
  if (!compiled_->re.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                           &match, 1))
    return {};
  return {match.data(), match.size()};
}

std::vector<std::string_view> Regex::FindAll(std::string_view text, int64_t limit) const {
  std::vector<std::string_view> found;
  const re2::StringPiece all(text.data(), text.size());
  size_t at = 0, last_end = std::string_view::npos;
  while (at <= text.size() && (limit < 0 || static_cast<int64_t>(found.size()) < limit)) {
    re2::StringPiece match;
    if (!compiled_->re.Match(all, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const size_t begin = static_cast<size_t>(match.data() - text.data()), end = begin + match.size();
    // An empty match right after the one before does not count.
    if (!match.empty() || begin != last_end) found.emplace_back(text.substr(begin, match.size()));
    last_end = end;
    at = match.empty() ? (end < text.size() ? end + RuneSize(text, end) : end + 1) : end;
  }
  return found;
}

}  // namespace keelson::base

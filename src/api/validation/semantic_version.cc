#include "api/validation/semantic_version.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace keelson::api {
namespace {

using base::IsDigit;
using base::IsLetter;

bool IsIdentifierChar(char c) { return IsDigit(c) || IsLetter(c) || c == '-'; }
bool IsNumeric(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }
bool IsPlainNumber(std::string_view text) { return IsNumeric(text) && (text.size() == 1 || text[0] != '0'); }

// The part before the first dot, which `text` loses.
std::string_view TakePart(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find('.'));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

// Whether all parts between dots are as `good` wants them.
template <class Good>
bool AllParts(std::string_view text, const Good& good) {
  for (;;) {
    const std::string_view part = text.substr(0, text.find('.'));
    if (part.empty() || !std::ranges::all_of(part, IsIdentifierChar) || !good(part)) return false;
    if (part.size() == text.size()) return true;
    text.remove_prefix(part.size() + 1);
  }
}

bool ParseNumber(std::string_view text, uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

// Numbers come before words, and are compared as numbers: a longer one is larger, as it has no leading zero.
std::strong_ordering CompareParts(std::string_view a, std::string_view b) {
  const bool number = IsNumeric(a);
  if (number != IsNumeric(b)) return number ? std::strong_ordering::less : std::strong_ordering::greater;
  if (number && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

std::strong_ordering SemanticVersion::operator<=>(const SemanticVersion& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  if (prerelease.empty() || other.prerelease.empty()) return prerelease.empty() <=> other.prerelease.empty();
  std::string_view a = prerelease, b = other.prerelease;
  while (!a.empty() && !b.empty())
    if (const auto order = CompareParts(TakePart(a), TakePart(b)); order != 0) return order;
  return a.size() <=> b.size();
}

namespace {

struct Parts {
  std::string_view core, prerelease, build;
  bool has_prerelease = false, has_build = false;
};

Parts Split(std::string_view text) {
  Parts parts{.core = text};
  const auto cut = [&](char mark, std::string_view& rest) {
    const size_t at = parts.core.find(mark);
    if (at == std::string_view::npos) return false;
    rest = parts.core.substr(at + 1);
    parts.core = parts.core.substr(0, at);
    return true;
  };
  parts.has_build = cut('+', parts.build);
  parts.has_prerelease = cut('-', parts.prerelease);
  return parts;
}

}  // namespace

bool IsSemanticVersion(std::string_view text) {
  const Parts parts = Split(text);
  const auto good = [](std::string_view part) { return !IsNumeric(part) || IsPlainNumber(part); };
  return std::ranges::count(parts.core, '.') == 2 && AllParts(parts.core, IsPlainNumber) &&
         (!parts.has_prerelease || AllParts(parts.prerelease, good)) &&
         (!parts.has_build || AllParts(parts.build, [](std::string_view) { return true; }));
}

std::optional<SemanticVersion> ParseSemanticVersion(std::string_view text) {
  if (!IsSemanticVersion(text)) return std::nullopt;
  Parts parts = Split(text);
  SemanticVersion version{.prerelease = parts.prerelease};
  for (uint64_t* const number : {&version.major, &version.minor, &version.patch})
    if (!ParseNumber(TakePart(parts.core), *number)) return std::nullopt;
  return version;
}

}  // namespace keelson::api

#include "api/validation/names.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "base/ascii.h"

namespace keelson::api {
namespace {

// The regular expressions are part of the messages; the scanners below do the matching.
constexpr std::string_view kDns1123LabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDns1123SubdomainRegex =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1123UnderscoreRegex =
    "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kWildcardRegex =
    "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1035LabelRegex = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kLabelKeyRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValueRegex = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kEnvVarNameRegex = "[-._a-zA-Z][-._a-zA-Z0-9]*";
constexpr std::string_view kConfigMapKeyRegex = "[-._a-zA-Z0-9]+";
constexpr std::string_view kCIdentifierRegex = "[A-Za-z_][A-Za-z0-9_]*";
constexpr std::string_view kHttpHeaderNameRegex = "[-A-Za-z0-9]+";
constexpr std::string_view kPercentRegex = "[0-9]+%";

constexpr std::string_view kDns1123LabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character";
constexpr std::string_view kDns1123SubdomainCaselessText =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with "
    "an "
    "alphanumeric character";
constexpr std::string_view kDns1123SubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
    "must start and end with an alphanumeric character";
constexpr std::string_view kDns1123UnderscoreText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
    "and must start and end with an alphanumeric character";
constexpr std::string_view kWildcardText =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "
    "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
constexpr std::string_view kDns1035LabelText =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character";
constexpr std::string_view kLabelKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character";
constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character";
constexpr std::string_view kEnvVarNameText =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and "
    "must not start with a digit";
constexpr std::string_view kRelaxedEnvVarNameText =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
constexpr std::string_view kConfigMapKeyText =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
constexpr std::string_view kCIdentifierText =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
    "characters or '_'";
constexpr std::string_view kHttpHeaderNameText =
    "a valid HTTP header must consist of alphanumeric characters or '-'";
constexpr std::string_view kPercentText =
    "a valid percent string must be a numeric string followed by an ending '%'";
constexpr std::string_view kMustBeNonEmpty = "must be non-empty";

using base::IsDigit;
using base::IsLetter;
using base::IsLower;

constexpr bool IsLowerAlnum(char c) { return IsLower(c) || IsDigit(c); }
constexpr bool IsAlnum(char c) { return IsLetter(c) || IsDigit(c); }

bool MatchesDns1123Label(std::string_view s) {
  return !s.empty() && IsLowerAlnum(s.front()) && IsLowerAlnum(s.back()) &&
         std::ranges::all_of(s, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool MatchesUnderscoreLabel(std::string_view s) {
  if (s.starts_with('_')) s.remove_prefix(1);
  return !s.empty() && IsLowerAlnum(s.front()) && IsLowerAlnum(s.back()) &&
         std::ranges::all_of(s, [](char c) { return IsLowerAlnum(c) || c == '-' || c == '_'; });
}

template <class MatchesLabel>
bool EachDotPart(std::string_view s, MatchesLabel matches) {
  while (true) {
    const size_t dot = s.find('.');
    if (!matches(s.substr(0, dot))) return false;
    if (dot == s.npos) return true;
    s.remove_prefix(dot + 1);
  }
}

bool MatchesDns1123Subdomain(std::string_view s) { return EachDotPart(s, MatchesDns1123Label); }

bool MatchesDns1035Label(std::string_view s) { return MatchesDns1123Label(s) && IsLower(s.front()); }

bool MatchesLabelName(std::string_view s) {
  return !s.empty() && IsAlnum(s.front()) && IsAlnum(s.back()) &&
         std::ranges::all_of(s, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsConfigKeyChar(char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; }

std::string Regex(std::string_view what, std::string_view regex,
                  std::initializer_list<std::string_view> examples) {
  return RegexMessage(what, regex, {examples.begin(), examples.size()});
}

// Keys and label values count bytes in their message, names count characters.
std::string MaxBytesMessage(size_t max) { return "must be no more than " + std::to_string(max) + " bytes"; }

std::string LabelKeyMessage() {
  return Regex(kLabelKeyText, kLabelKeyRegex, {"MyName", "my.name", "123-abc"});
}

// Such keys and names become file and directory names.
void CheckNoParentDirectory(std::string_view value, Messages& out) {
  if (value == ".") {
    out.emplace_back("must not be '.'");
  } else if (value == "..") {
    out.emplace_back("must not be '..'");
  } else if (value.starts_with("..")) {
    out.emplace_back("must not start with '..'");
  }
}

// A generated suffix may follow a dash, so the last two characters stand for one valid one,
// as upstream counts it.
std::string MaskTrailingDash(std::string_view name) {
  if (name.size() > 1 && name.ends_with('-')) return std::string(name.substr(0, name.size() - 2)) + "a";
  return std::string(name);
}

template <class Check>
Messages CheckName(std::string_view name, bool prefix, Check check) {
  return prefix ? check(MaskTrailingDash(name)) : check(name);
}

}  // namespace

std::string MaxLengthMessage(size_t max) {
  return "must be no more than " + std::to_string(max) + " characters";
}

std::string RangeMessage(int64_t min, int64_t max) {
  return "must be between " + std::to_string(min) + " and " + std::to_string(max) + ", inclusive";
}

std::string RegexMessage(std::string_view what, std::string_view regex,
                         std::span<const std::string_view> examples) {
  std::string out(what);
  out += " (";
  for (size_t i = 0; i < examples.size(); ++i) {
    out.append(i == 0 ? "e.g. '" : " or '").append(examples[i]).append("', ");
  }
  return out.append("regex used for validation is '").append(regex).append("')");
}

Messages IsDns1123Label(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123LabelMaxLength) out.push_back(MaxLengthMessage(kDns1123LabelMaxLength));
  if (!MatchesDns1123Label(value)) {
    out.push_back(MatchesDns1123Subdomain(value)
                      ? "must not contain dots"
                      : Regex(kDns1123LabelText, kDns1123LabelRegex, {"my-name", "123-abc"}));
  }
  return out;
}

Messages IsDns1123Subdomain(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123SubdomainMaxLength) out.push_back(MaxLengthMessage(kDns1123SubdomainMaxLength));
  if (!MatchesDns1123Subdomain(value)) {
    out.push_back(Regex(kDns1123SubdomainText, kDns1123SubdomainRegex, {"example.com"}));
  }
  return out;
}

Messages IsDns1123SubdomainCaseless(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123SubdomainMaxLength) out.push_back(MaxLengthMessage(kDns1123SubdomainMaxLength));
  std::string lower(value);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (!MatchesDns1123Subdomain(lower)) {
    out.push_back(Regex(kDns1123SubdomainCaselessText, kDns1123SubdomainRegex, {"Example.com"}));
  }
  return out;
}

Messages IsDns1123SubdomainWithUnderscore(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123SubdomainMaxLength) out.push_back(MaxLengthMessage(kDns1123SubdomainMaxLength));
  if (!EachDotPart(value, MatchesUnderscoreLabel)) {
    out.push_back(Regex(kDns1123UnderscoreText, kDns1123UnderscoreRegex, {"example.com"}));
  }
  return out;
}

Messages IsWildcardDns1123Subdomain(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123SubdomainMaxLength) out.push_back(MaxLengthMessage(kDns1123SubdomainMaxLength));
  if (!value.starts_with("*.") || !MatchesDns1123Subdomain(value.substr(2))) {
    out.push_back(Regex(kWildcardText, kWildcardRegex, {"*.example.com"}));
  }
  return out;
}

Messages IsDns1035Label(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123LabelMaxLength) out.push_back(MaxLengthMessage(kDns1123LabelMaxLength));
  if (!MatchesDns1035Label(value)) {
    out.push_back(Regex(kDns1035LabelText, kDns1035LabelRegex, {"my-name", "abc-123"}));
  }
  return out;
}

Messages IsQualifiedName(std::string_view value) {
  Messages out;
  std::string_view name = value;
  if (const size_t slash = value.find('/'); slash != value.npos) {
    const std::string_view prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.find('/') != name.npos) {
      out.push_back("a valid label key " + LabelKeyMessage() +
                    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return out;
    }
    if (prefix.empty()) {
      out.push_back("prefix part " + std::string(kMustBeNonEmpty));
    } else {
      if (prefix.size() > kDns1123SubdomainMaxLength) {
        out.push_back("prefix part " + MaxBytesMessage(kDns1123SubdomainMaxLength));
      }
      if (!MatchesDns1123Subdomain(prefix)) {
        out.push_back("prefix part " + Regex(kDns1123SubdomainText, kDns1123SubdomainRegex, {"example.com"}));
      }
    }
  }
  if (name.empty()) {
    out.push_back("name part " + std::string(kMustBeNonEmpty));
  } else if (name.size() > kLabelValueMaxLength) {
    out.push_back("name part " + MaxBytesMessage(kLabelValueMaxLength));
  }
  if (!MatchesLabelName(name)) out.push_back("name part " + LabelKeyMessage());
  return out;
}

Messages IsLabelValue(std::string_view value) {
  Messages out;
  if (value.size() > kLabelValueMaxLength) out.push_back(MaxBytesMessage(kLabelValueMaxLength));
  if (!value.empty() && !MatchesLabelName(value)) {
    out.push_back(Regex(kLabelValueText, kLabelValueRegex, {"MyValue", "my_value", "12345"}));
  }
  return out;
}

Messages IsCIdentifier(std::string_view value) {
  const bool ok = !value.empty() && !IsDigit(value.front()) &&
                  std::ranges::all_of(value, [](char c) { return IsAlnum(c) || c == '_'; });
  if (ok) return {};
  return {Regex(kCIdentifierText, kCIdentifierRegex, {"my_name", "MY_NAME", "MyName"})};
}

Messages IsEnvVarName(std::string_view value) {
  Messages out;
  if (value.empty() || IsDigit(value.front()) || !std::ranges::all_of(value, IsConfigKeyChar)) {
    out.push_back(Regex(kEnvVarNameText, kEnvVarNameRegex, {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
  }
  CheckNoParentDirectory(value, out);
  return out;
}

Messages IsRelaxedEnvVarName(std::string_view value) {
  if (value.empty()) return {"environment variable name " + std::string(kMustBeNonEmpty)};
  if (std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7f && c != '='; })) return {};
  return {std::string(kRelaxedEnvVarNameText)};
}

Messages IsConfigMapKey(std::string_view value) {
  Messages out;
  if (value.size() > kDns1123SubdomainMaxLength) out.push_back(MaxLengthMessage(kDns1123SubdomainMaxLength));
  if (value.empty() || !std::ranges::all_of(value, IsConfigKeyChar)) {
    out.push_back(Regex(kConfigMapKeyText, kConfigMapKeyRegex, {"key.name", "KEY_NAME", "key-name"}));
  }
  CheckNoParentDirectory(value, out);
  return out;
}

Messages IsHttpHeaderName(std::string_view value) {
  const bool ok = !value.empty() && std::ranges::all_of(value, [](char c) { return IsAlnum(c) || c == '-'; });
  if (ok) return {};
  return {Regex(kHttpHeaderNameText, kHttpHeaderNameRegex, {"X-Header-Name"})};
}

Messages IsPortName(std::string_view value) {
  constexpr size_t kMaxLength = 15;
  Messages out;
  if (value.size() > kMaxLength) out.push_back(MaxLengthMessage(kMaxLength));
  if (value.empty() || !std::ranges::all_of(value, [](char c) { return IsLowerAlnum(c) || c == '-'; })) {
    out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(value, IsLower)) out.emplace_back("must contain at least one letter (a-z)");
  if (value.find("--") != value.npos) out.emplace_back("must not contain consecutive hyphens");
  if (value.starts_with('-') || value.ends_with('-')) {
    out.emplace_back("must not begin or end with a hyphen");
  }
  return out;
}

Messages IsPortNumber(int64_t port) { return IsInRange(port, 1, 65535); }

Messages IsInRange(int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return {};
  return {RangeMessage(min, max)};
}

Messages IsPercent(std::string_view value) {
  const bool ok = value.size() >= 2 && value.ends_with('%') &&
                  std::ranges::all_of(value.substr(0, value.size() - 1), IsDigit);
  if (ok) return {};
  return {Regex(kPercentText, kPercentRegex, {"1%", "93%"})};
}

Messages IsPathSegmentName(std::string_view name) {
  if (name == ".") return {"may not be '.'"};
  if (name == "..") return {"may not be '..'"};
  return IsPathSegmentPrefix(name);
}

Messages IsPathSegmentPrefix(std::string_view name) {
  Messages out;
  if (name.find('/') != name.npos) out.emplace_back("may not contain '/'");
  if (name.find('%') != name.npos) out.emplace_back("may not contain '%'");
  return out;
}

Messages IsUserId(int64_t uid) { return IsInRange(uid, 0, std::numeric_limits<int32_t>::max()); }
Messages IsGroupId(int64_t gid) { return IsInRange(gid, 0, std::numeric_limits<int32_t>::max()); }

Messages NameIsDnsSubdomain(std::string_view name, bool prefix) {
  return CheckName(name, prefix, IsDns1123Subdomain);
}

Messages NameIsDnsLabel(std::string_view name, bool prefix) {
  return CheckName(name, prefix, IsDns1123Label);
}

Messages NameIsDns1035Label(std::string_view name, bool prefix) {
  return CheckName(name, prefix, IsDns1035Label);
}

Messages NameIsPathSegment(std::string_view name, bool prefix) {
  return prefix ? IsPathSegmentPrefix(name) : IsPathSegmentName(name);
}

}  // namespace keelson::api

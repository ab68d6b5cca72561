#include "extensions/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "api/codec/time_format.h"
#include "api/validation/names.h"
#include "base/go_duration.h"
#include "base/regex.h"

namespace keelson::extensions {
namespace {

struct Named {
  std::string_view name;
  Format format;
};
constexpr Named kNames[] = {
    {"bsonobjectid", Format::kBsonObjectId},
    {"uri", Format::kUri},
    {"email", Format::kEmail},
    {"hostname", Format::kHostname},
    {"ipv4", Format::kIpv4},
    {"ipv6", Format::kIpv6},
    {"cidr", Format::kCidr},
    {"mac", Format::kMac},
    {"uuid", Format::kUuid},
    {"uuid3", Format::kUuid3},
    {"uuid4", Format::kUuid4},
    {"uuid5", Format::kUuid5},
    {"isbn", Format::kIsbn},
    {"isbn10", Format::kIsbn10},
    {"isbn13", Format::kIsbn13},
    {"creditcard", Format::kCreditCard},
    {"ssn", Format::kSsn},
    {"hexcolor", Format::kHexColor},
    {"rgbcolor", Format::kRgbColor},
    {"byte", Format::kByte},
    {"password", Format::kPassword},
    {"date", Format::kDate},
    {"duration", Format::kDuration},
    {"datetime", Format::kDateTime},
    {"k8sshortname", Format::kShortName},
    {"k8slongname", Format::kLongName},
};

// Requires: the pattern is one.
base::Regex Compiled(std::string_view pattern) { return *base::Regex::Compile(pattern); }

std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9') digits += c;
  return digits;
}

bool IsIsbn10(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != ' ' && c != '-') digits += c;
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const bool tenth = i == 9 && digits[9] == 'X';
    if (!tenth && (digits[i] < '0' || digits[i] > '9')) return false;
    sum += (i + 1) * (tenth ? 10 : digits[i] - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != ' ' && c != '-') digits += c;
  if (digits.size() != 13 || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  int sum = 0;
  for (int i = 0; i < 12; ++i) sum += (i % 2 ? 3 : 1) * (digits[i] - '0');
  return (digits[12] - '0' - (10 - sum % 10) % 10) == 0;
}

bool IsCreditCard(std::string_view text) {
  static const base::Regex kCards = Compiled(
      R"((?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}))");
  const std::string digits = DigitsOf(text);
  if (!kCards.MatchesWhole(digits)) return false;
  int sum = 0;
  bool twice = false;
  for (size_t i = digits.size(); i-- > 0; twice = !twice) {
    const int d = (digits[i] - '0') * (twice ? 2 : 1);
    sum += d >= 10 ? d % 10 + 1 : d;
  }
  return sum % 10 == 0;
}

// Numbers may have leading zeros.
std::string WithoutLeadingZeros(std::string_view text) {
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    size_t end = std::min(text.find('.', i), text.size());
    size_t start = i;
    while (start + 1 < end && text[start] == '0') ++start;
    out.append(text, start, end - start);
    if (end < text.size()) out += '.';
    i = end + 1;
  }
  return out;
}

bool ParsesAs(int family, const std::string& text) {
  in6_addr address;
  return inet_pton(family, text.c_str(), &address) == 1;
}
bool IsIpv4(std::string_view text) {
  if (text.find(':') != text.npos)  // an IPv4 address in the form of an IPv6 one
    return text.find('.') != text.npos && ParsesAs(AF_INET6, std::string(text));
  return ParsesAs(AF_INET, WithoutLeadingZeros(text));
}
bool IsIpv6(std::string_view text) {
  return text.find(':') != text.npos && ParsesAs(AF_INET6, std::string(text));
}
bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const std::string_view bits = text.substr(slash + 1), address = text.substr(0, slash);
  if (bits.empty() || bits.size() > 3 ||
      !std::ranges::all_of(bits, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  const bool six = address.find(':') != address.npos;
  if (std::atoi(std::string(bits).c_str()) > (six ? 128 : 32)) return false;
  return six ? IsIpv6(address) : IsIpv4(address);
}

bool IsHostname(std::string_view text) {
  static const base::Regex kHostname = Compiled(
      R"((?:[a-zA-Z0-9\p{S}\p{L}](?:(?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|(?:[a-zA-Z0-9\p{S}\p{L}](?:(?:[a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(?:\.)){1,}(?:[a-zA-Z\p{L}]){2,63}))");
  if (text.size() > 255 || !kHostname.MatchesWhole(text)) return false;
  while (!text.empty()) {
    const size_t dot = std::min(text.find('.'), text.size());
    if (dot > 63) return false;
    text.remove_prefix(std::min(text.size(), dot + 1));
  }
  return true;
}

bool IsUri(std::string_view text) {
  // What Go's url.ParseRequestURI takes: an absolute URI or an absolute path.
  static const base::Regex kUri = Compiled(R"((?:[a-zA-Z][a-zA-Z0-9+.-]*:.*|/.*))");
  if (!kUri.MatchesWhole(text)) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return false;
    const auto hex = [&](size_t at) {
      return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at]));
    };
    if (c == '%' && !(hex(i + 1) && hex(i + 2))) return false;
  }
  const size_t colon = text.find("://");
  if (colon == text.npos) return true;
  const std::string_view rest = text.substr(colon + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  return host.find(' ') == host.npos;
}

bool IsEmail(std::string_view text) {
  static const base::Regex kPlain = Compiled(R"([^\s<>()\[\]\\,;:@"]+@[^\s<>()\[\]\\,;:@"]+)");
  static const base::Regex kNamed = Compiled(R"([^<>@]*<[^\s<>()\[\]\\,;:@"]+@[^\s<>()\[\]\\,;:@"]+>)");
  return kPlain.MatchesWhole(text) || kNamed.MatchesWhole(text);
}

bool IsBase64(std::string_view text) {
  static const base::Regex kBase64 =
      Compiled(R"((?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4}))");
  return kBase64.MatchesWhole(text);
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && api::ParseTime(std::string(text) + "T00:00:00Z").has_value();
}

bool IsDateTime(std::string_view text) {
  static const base::Regex kDateTime =
      Compiled(R"(\d{4}-\d{2}-\d{2}[tT ](?:\d{2}):(?:\d{2}):(?:\d{2})(?:\.\d+)?(?:[zZ]|[+-]\d{2}:?\d{2})?)");
  return kDateTime.MatchesWhole(text) && IsDate(text.substr(0, 10));
}

bool IsDuration(std::string_view text) {
  if (base::ParseGoDuration(text)) return true;
  static const base::Regex kScala = Compiled(
      R"(\s*\d+\s*(?:ns|nano|nanos|nanosecond|nanoseconds|us|µs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hour|hours|d|day|days|w|week|weeks)\s*)");
  return kScala.MatchesWhole(text);
}

bool IsMac(std::string_view text) {
  static const base::Regex kMac = Compiled(
      R"((?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2}[:-]){7}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2}[:-]){19}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}|(?:[0-9a-fA-F]{4}\.){3}[0-9a-fA-F]{4}|(?:[0-9a-fA-F]{4}\.){9}[0-9a-fA-F]{4})");
  return kMac.MatchesWhole(text);
}

template <const char* kPattern>
bool FullMatch(std::string_view text) {
  static const base::Regex kRegex = Compiled(kPattern);
  return kRegex.MatchesWhole(text);
}
constexpr char kUuid[] = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
constexpr char kUuid3[] = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}";
constexpr char kUuid4[] = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}";
constexpr char kUuid5[] = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}";
constexpr char kSsn[] = R"(\d{3}[- ]?\d{2}[- ]?\d{4})";
constexpr char kHexColor[] = "#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})";
constexpr char kRgbPart[] =
    R"(rgb\(\s*(?:(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*){2}(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\))";
constexpr char kBsonId[] = "[0-9a-fA-F]{24}";

}  // namespace

Format StringFormat(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '-') plain += c;
  const auto found = std::ranges::find(kNames, std::string_view(plain), &Named::name);
  return found == std::end(kNames) ? Format::kNone : found->format;
}

bool HasFormat(std::string_view text, Format format) {
  switch (format) {
    case Format::kBsonObjectId: return FullMatch<kBsonId>(text);
    case Format::kUri: return IsUri(text);
    case Format::kEmail: return IsEmail(text);
    case Format::kHostname: return IsHostname(text);
    case Format::kIpv4: return IsIpv4(text);
    case Format::kIpv6: return IsIpv6(text);
    case Format::kCidr: return IsCidr(text);
    case Format::kMac: return IsMac(text);
    case Format::kUuid: return FullMatch<kUuid>(text);
    case Format::kUuid3: return FullMatch<kUuid3>(text);
    case Format::kUuid4: return FullMatch<kUuid4>(text);
    case Format::kUuid5: return FullMatch<kUuid5>(text);
    case Format::kIsbn: return IsIsbn10(text) || IsIsbn13(text);
    case Format::kIsbn10: return IsIsbn10(text);
    case Format::kIsbn13: return IsIsbn13(text);
    case Format::kCreditCard: return IsCreditCard(text);
    case Format::kSsn: return FullMatch<kSsn>(text);
    case Format::kHexColor: return FullMatch<kHexColor>(text);
    case Format::kRgbColor: return FullMatch<kRgbPart>(text);
    case Format::kByte: return IsBase64(text);
    case Format::kDate: return IsDate(text);
    case Format::kDuration: return IsDuration(text);
    case Format::kDateTime: return IsDateTime(text);
    case Format::kShortName: return api::NameIsDnsLabel(text, false).empty();
    case Format::kLongName: return api::NameIsDnsSubdomain(text, false).empty();
    case Format::kNone:
    case Format::kPassword:
    case Format::kInt32:
    case Format::kInt64:
    case Format::kFloat:
    case Format::kDouble: return true;
  }
  return true;
}

}  // namespace keelson::extensions

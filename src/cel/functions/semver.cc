// semver("1.2.3"): comparing versions.
#include <algorithm>
#include <charconv>

#include "api/validation/quote.h"
#include "base/ascii.h"
#include "cel/functions/functions.h"
#include "cel/functions/semantic_version.h"

namespace keelson::cel {
namespace {

using api::Quoted;
using base::IsDigit;
using base::IsLetter;

bool IsNumeric(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }
bool IsAllowed(char c) { return IsDigit(c) || IsLetter(c) || c == '-'; }

std::vector<std::string_view> Parts(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// One of the three numbers; an error in words.
std::string ReadNumber(std::string_view text, const char* what, uint64_t& out) {
  if (!std::ranges::all_of(text, IsDigit))
    return std::string("Invalid character(s) found in ") + what + " number " + Quoted(text);
  if (text.size() > 1 && text[0] == '0')
    return std::string(what[0] == 'm' && what[1] == 'a' ? "Major"
                       : what[0] == 'm'                 ? "Minor"
                                                        : "Patch") +
           " number must not contain leading zeroes " + Quoted(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::result_out_of_range)
    return "strconv.ParseUint: parsing " + Quoted(text) + ": value out of range";
  if (error != std::errc()) return "strconv.ParseUint: parsing " + Quoted(text) + ": invalid syntax";
  return "";
}

class SemverObject final : public Object {
 public:
  explicit SemverObject(SemanticVersion v) : version(std::move(v)) {}
  const TypeRef& type() const override { return SemverType(); }
  Value Equals(const Object& other) const override {
    const auto* o = dynamic_cast<const SemverObject*>(&other);
    return o ? Value::Bool(version.Compare(o->version) == 0) : NoSuchOverload();
  }
  std::string ToString() const override { return version.text; }
  const SemanticVersion version;
};

const SemanticVersion& VersionOf(const Value& v) { return v.As<SemverObject>()->version; }

int CompareIdentifiers(const std::string& a, const std::string& b) {
  const bool a_number = IsNumeric(a), b_number = IsNumeric(b);
  if (a_number != b_number) return a_number ? -1 : 1;
  if (a_number && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

// "v1.02" becomes "1.2.0".
base::Result<SemanticVersion, std::string> Normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (size_t i = 0; i < 2; ++i) {
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    const size_t first = part.find_first_not_of('0');
    part.erase(0, std::min(first, part.size()));
    if (part.empty() || !IsDigit(part[0])) part.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos)
    return base::Err(std::string("short version cannot contain PreRelease/Build meta data"));
  while (parts.size() < 3) parts.emplace_back("0");
  return SemanticVersion::Parse(parts[0] + "." + parts[1] + "." + parts[2]);
}

base::Result<SemanticVersion, std::string> Read(Args args) {
  const bool normalize = args.size() == 2 && args[1].boolean();
  return normalize ? Normalized(args[0].text()) : SemanticVersion::Parse(args[0].text());
}

Value MakeSemver(Args args) {
  auto version = Read(args);
  return version ? SemverValue(std::move(*version)) : Value::Error(version.error());
}
Value IsSemver(Args args) { return Value::Bool(Read(args).has_value()); }

int OrderOfSemvers(Args args) { return VersionOf(args[0]).Compare(VersionOf(args[1])); }

}  // namespace

base::Result<SemanticVersion, std::string> SemanticVersion::Parse(std::string_view text) {
  if (text.empty()) return base::Err(std::string("Version string empty"));
  SemanticVersion version;
  version.text = std::string(text);
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return base::Err(std::string("No Major.Minor.Patch elements found"));
  std::string_view rest = text.substr(second + 1), build, pre;
  bool has_build = false, has_pre = false;
  std::string why = ReadNumber(text.substr(0, first), "major", version.major);
  if (why.empty()) why = ReadNumber(text.substr(first + 1, second - first - 1), "minor", version.minor);
  if (!why.empty()) return base::Err(why);
  if (const size_t plus = rest.find('+'); plus != std::string_view::npos) {
    build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
    has_build = true;
  }
  if (const size_t dash = rest.find('-'); dash != std::string_view::npos) {
    pre = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
    has_pre = true;
  }
  if (why = ReadNumber(rest, "patch", version.patch); !why.empty()) return base::Err(why);
  if (has_pre) {
    for (const std::string_view part : Parts(pre, '.')) {
      if (part.empty()) return base::Err(std::string("Prerelease is empty"));
      if (IsNumeric(part) && part.size() > 1 && part[0] == '0')
        return base::Err("Numeric PreRelease version must not contain leading zeroes " + Quoted(part));
      if (!std::ranges::all_of(part, IsAllowed))
        return base::Err("Invalid character(s) found in prerelease " + Quoted(part));
      version.pre.emplace_back(part);
    }
  }
  if (has_build) {
    for (const std::string_view part : Parts(build, '.')) {
      if (part.empty()) return base::Err(std::string("Build meta data is empty"));
      if (!std::ranges::all_of(part, IsAllowed))
        return base::Err("Invalid character(s) found in build meta data " + Quoted(part));
    }
  }
  return version;
}

int SemanticVersion::Compare(const SemanticVersion& o) const {
  const auto order = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; };
  if (major != o.major) return order(major, o.major);
  if (minor != o.minor) return order(minor, o.minor);
  if (patch != o.patch) return order(patch, o.patch);
  if (pre.empty() || o.pre.empty()) return order(pre.empty(), o.pre.empty());
  for (size_t i = 0; i < std::min(pre.size(), o.pre.size()); ++i)
    if (const int compared = CompareIdentifiers(pre[i], o.pre[i])) return compared;
  return order(pre.size(), o.pre.size());
}

Value SemverValue(SemanticVersion version) {
  return Value::Of(std::make_shared<const SemverObject>(std::move(version)));
}

const TypeRef& SemverType() {
  static const TypeRef type = types::Struct("kubernetes.Semver");
  return type;
}

void AddSemver(Library& library) {
  using namespace types;
  const TypeRef& v = SemverType();
  library.Global("semver", "string_to_semver", {String()}, v, MakeSemver);
  library.Global("semver", "string_bool_to_semver", {String(), Bool()}, v, MakeSemver);
  library.Global("isSemver", "is_semver_string", {String()}, Bool(), IsSemver);
  library.Global("isSemver", "is_semver_string_bool", {String(), Bool()}, Bool(), IsSemver);
  library.Member("isGreaterThan", "semver_is_greater_than", {v, v}, Bool(),
                 [](Args a) { return Value::Bool(OrderOfSemvers(a) > 0); });
  library.Member("isLessThan", "semver_is_less_than", {v, v}, Bool(),
                 [](Args a) { return Value::Bool(OrderOfSemvers(a) < 0); });
  library.Member("compareTo", "semver_compare_to", {v, v}, Int(),
                 [](Args a) { return Value::Int(OrderOfSemvers(a)); });
  library.Member("major", "semver_major", {v}, Int(),
                 [](Args a) { return Value::Int(static_cast<int64_t>(VersionOf(a[0]).major)); });
  library.Member("minor", "semver_minor", {v}, Int(),
                 [](Args a) { return Value::Int(static_cast<int64_t>(VersionOf(a[0]).minor)); });
  library.Member("patch", "semver_patch", {v}, Int(),
                 [](Args a) { return Value::Int(static_cast<int64_t>(VersionOf(a[0]).patch)); });
}

}  // namespace keelson::cel

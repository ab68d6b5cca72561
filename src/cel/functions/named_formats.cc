// format.dns1123Label() and its like, and what they say of a text.
#include <map>

#include "api/codec/base64.h"
#include "api/codec/time_format.h"
#include "api/validation/names.h"
#include "base/regex.h"
#include "cel/functions/functions.h"
#include "cel/functions/go_url.h"
#include "cel/functions/named_format.h"

namespace keelson::cel {
namespace {

using Messages = std::vector<std::string>;

Messages Uri(std::string_view text) {
  const auto url = ParseRequestUri(text);
  return url ? Messages{} : Messages{url.error()};
}

bool MatchesPattern(std::string_view text, const char* pattern) {
  const auto regex = base::Regex::Compile(pattern);
  return regex && regex->Matches(text);
}

Messages Uuid(std::string_view text) {
  static const auto regex =
      base::Regex::Compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return regex->Matches(text) ? Messages{} : Messages{"does not match the UUID format"};
}

Messages Byte(std::string_view text) {
  static const auto regex = base::Regex::Compile(
      "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
  return text.empty() || !regex->Matches(text) ? Messages{"invalid base64"} : Messages{};
}

Messages Date(std::string_view text) {
  const bool shaped = MatchesPattern(text, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
  return shaped && api::ParseTime(std::string(text) + "T00:00:00Z") ? Messages{} : Messages{"invalid date"};
}

Messages DateTime(std::string_view text) {
  const Messages wrong{"invalid datetime"};
  const size_t t = text.find_first_of("tT");
  if (t == std::string_view::npos || !Date(text.substr(0, t)).empty()) return wrong;
  std::string time(text.substr(t + 1));
  for (char& c : time)
    if (c == 'Z') c = 'z';
  if (!MatchesPattern(time, "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"))
    return wrong;
  const auto part = [&](size_t i) { return std::string_view(time).substr(i, 2); };
  return part(0) <= "23" && part(3) <= "59" && part(6) <= "59" ? Messages{} : wrong;
}

// By the name in expressions; each knows itself by another.
const std::map<std::string, Value, std::less<>>& Formats() {
  static const auto formats = [] {
    std::map<std::string, Value, std::less<>> all;
    const auto add = [&](const char* name, const char* own, NamedFormat::Validate validate,
                         uint64_t regex_size) {
      all[name] = Value::Of(std::make_shared<const NamedFormat>(own, validate, regex_size));
    };
    using Text = std::string_view;
    add(
        "dns1123Label", "DNS1123Label", [](Text s) { return api::NameIsDnsLabel(s, false); }, 30);
    add(
        "dns1123Subdomain", "DNS1123Subdomain", [](Text s) { return api::NameIsDnsSubdomain(s, false); }, 60);
    add(
        "dns1035Label", "DNS1035Label", [](Text s) { return api::NameIsDns1035Label(s, false); }, 30);
    add(
        "qualifiedName", "QualifiedName", [](Text s) { return api::IsQualifiedName(s); }, 60);
    add(
        "dns1123LabelPrefix", "DNS1123LabelPrefix", [](Text s) { return api::NameIsDnsLabel(s, true); }, 30);
    add(
        "dns1123SubdomainPrefix", "DNS1123SubdomainPrefix",
        [](Text s) { return api::NameIsDnsSubdomain(s, true); }, 60);
    add(
        "dns1035LabelPrefix", "DNS1035LabelPrefix", [](Text s) { return api::NameIsDns1035Label(s, true); },
        30);
    add(
        "labelValue", "LabelValue", [](Text s) { return api::IsLabelValue(s); }, 40);
    add("uri", "URI", Uri, 1103);
    add("uuid", "uuid", Uuid, 70);
    add("byte", "byte", Byte, 84);
    add("date", "date", Date, 71);
    add("datetime", "datetime", DateTime, 71);
    return all;
  }();
  return formats;
}

template <size_t i>
Value Nth(Args) {
  return std::next(Formats().begin(), i)->second;
}
template <size_t... i>
std::vector<Implementation> Getters(std::index_sequence<i...>) {
  return {Nth<i>...};
}

Value Named(Args args) {
  const auto found = Formats().find(args[0].text());
  return found == Formats().end() ? Value::None() : Value::OptionalOf(found->second);
}

Value Validate(Args args) {
  Messages wrong = args[0].As<NamedFormat>()->Check(args[1].text());
  return wrong.empty() ? Value::None() : Value::OptionalOf(Value::Strings(std::move(wrong)));
}

}  // namespace

const TypeRef& NamedFormatType() {
  static const TypeRef type = types::Struct("kubernetes.NamedFormat");
  return type;
}

const TypeRef& NamedFormat::type() const { return NamedFormatType(); }
Value NamedFormat::Equals(const Object& other) const {
  const auto* o = dynamic_cast<const NamedFormat*>(&other);
  return o ? Value::Bool(name_ == o->name_) : NoSuchOverload();
}

void AddNamedFormats(Library& library) {
  using namespace types;
  const TypeRef& format = NamedFormatType();
  library.Member("validate", "format-validate", {format, String()}, Optional(ListOf(String())), Validate);
  library.Global("format.named", "format-named", {String()}, Optional(format), Named);
  const auto getters = Getters(std::make_index_sequence<13>());
  size_t i = 0;
  for (const auto& [name, value] : Formats())
    library.Global("format." + name, "format." + name, {}, format, getters[i++]);
}

}  // namespace keelson::cel

// format.dns1123Label() and its like, and what they say of a text.
#include <iterator>
#include <utility>

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
  static const auto regex = base::Regex::Compile("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
  return regex->Matches(text) && api::ParseTime(std::string(text) + "T00:00:00Z") ? Messages{}
                                                                                  : Messages{"invalid date"};
}

Messages DateTime(std::string_view text) {
  static const auto regex =
      base::Regex::Compile("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
  Messages wrong{"invalid datetime"};
  const size_t t = text.find_first_of("tT");
  if (t == std::string_view::npos || !Date(text.substr(0, t)).empty()) return wrong;
  std::string time(text.substr(t + 1));
  for (char& c : time)
    if (c == 'Z') c = 'z';
  if (!regex->Matches(time)) return wrong;
  const auto part = [&](size_t i) { return std::string_view(time).substr(i, 2); };
  return part(0) <= "23" && part(3) <= "59" && part(6) <= "59" ? Messages{} : wrong;
}

Messages Label(std::string_view text) { return api::NameIsDnsLabel(text, false); }
Messages LabelPrefix(std::string_view text) { return api::NameIsDnsLabel(text, true); }
Messages Subdomain(std::string_view text) { return api::NameIsDnsSubdomain(text, false); }
Messages SubdomainPrefix(std::string_view text) { return api::NameIsDnsSubdomain(text, true); }
Messages OldLabel(std::string_view text) { return api::NameIsDns1035Label(text, false); }
Messages OldLabelPrefix(std::string_view text) { return api::NameIsDns1035Label(text, true); }

struct Definition {
  const char* name;  // in expressions
  const char* own;   // by which it knows itself
  NamedFormat::Validate validate;
  uint64_t regex_size;
};
constexpr Definition kFormats[] = {
    {"dns1123Label", "DNS1123Label", Label, 30},
    {"dns1123Subdomain", "DNS1123Subdomain", Subdomain, 60},
    {"dns1035Label", "DNS1035Label", OldLabel, 30},
    {"qualifiedName", "QualifiedName", api::IsQualifiedName, 60},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", LabelPrefix, 30},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", SubdomainPrefix, 60},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", OldLabelPrefix, 30},
    {"labelValue", "LabelValue", api::IsLabelValue, 40},
    {"uri", "URI", Uri, 1103},
    {"uuid", "uuid", Uuid, 70},
    {"byte", "byte", Byte, 84},
    {"date", "date", Date, 71},
    {"datetime", "datetime", DateTime, 71},
};

template <size_t i>
const Value& Nth() {
  static const Value value = Value::Of(
      std::make_shared<const NamedFormat>(kFormats[i].own, kFormats[i].validate, kFormats[i].regex_size));
  return value;
}

template <size_t... i>
void AddGetters(Library& library, std::index_sequence<i...>) {
  const auto add = [&](const char* name, Implementation get) {
    const std::string function = std::string("format.") + name;
    library.Global(function, function, {}, NamedFormatType(), get);
  };
  (add(kFormats[i].name, [](Args) { return Nth<i>(); }), ...);
}

template <size_t... i>
Value Find(std::string_view name, std::index_sequence<i...>) {
  Value found = Value::None();
  ((kFormats[i].name == name ? void(found = Value::OptionalOf(Nth<i>())) : void()), ...);
  return found;
}

using Indices = std::make_index_sequence<std::size(kFormats)>;

Value Named(Args args) { return Find(args[0].text(), Indices()); }

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
  AddGetters(library, Indices());
}

}  // namespace keelson::cel

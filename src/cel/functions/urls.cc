// url("https://…") and its parts.
#include "cel/functions/functions.h"
#include "cel/functions/go_url.h"

namespace keelson::cel {
namespace {

class Url final : public Object {
 public:
  Url(GoUrl parsed, std::string text) : url(std::move(parsed)), text_(std::move(text)) {}
  const TypeRef& type() const override { return UrlType(); }
  Value Equals(const Object& other) const override {
    const auto* o = dynamic_cast<const Url*>(&other);
    return o ? Value::Bool(text_ == o->text_) : NoSuchOverload();
  }
  std::string ToString() const override { return text_; }
  const GoUrl url;

 private:
  std::string text_;
};

Value MakeUrl(Args args) {
  const std::string_view text = args[0].text();
  auto url = ParseRequestUri(text);
  if (!url) return Value::Error("URL parse error during conversion from string: " + url.error());
  // A fragment is part of the path for requests, but not for URLs.
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    auto without = ParseRequestUri(text.substr(0, hash));
    if (without) {
      without->fragment = std::string(text.substr(hash + 1));
      url = std::move(without);
    }
  }
  return Value::Of(std::make_shared<const Url>(std::move(*url), std::string(text)));
}

Value IsUrl(Args args) { return Value::Bool(ParseRequestUri(args[0].text()).has_value()); }

template <class Get>
Value Part(const Value& v, const Get& get) {
  const auto* url = v.As<Url>();
  return url ? Value::String(std::string(get(url->url))) : NoSuchOverload(v);
}

Value Query(Args args) {
  const auto* url = args[0].As<Url>();
  if (!url) return NoSuchOverload(args[0]);
  auto map = std::make_shared<VectorMap>();
  for (auto& [name, values] : url->url.Query()) map->Set(Value::String(name), Value::Strings(values));
  return Value::Of(std::shared_ptr<const Map>(std::move(map)));
}

}  // namespace

const TypeRef& UrlType() {
  static const TypeRef type = types::Struct("kubernetes.URL");
  return type;
}

void AddUrls(Library& library) {
  using namespace types;
  const TypeRef& url = UrlType();
  library.Global("url", "string_to_url", {String()}, url, MakeUrl);
  library.Global("isURL", "is_url_string", {String()}, Bool(), IsUrl);
  const auto part = [&](std::string_view name, std::string id, Implementation call) {
    library.Member(name, std::move(id), {url}, String(), call);
  };
  part("getScheme", "url_get_scheme",
       [](Args a) { return Part(a[0], [](const GoUrl& u) -> std::string_view { return u.scheme; }); });
  part("getHost", "url_get_host",
       [](Args a) { return Part(a[0], [](const GoUrl& u) -> std::string_view { return u.host; }); });
  part("getHostname", "url_get_hostname",
       [](Args a) { return Part(a[0], [](const GoUrl& u) { return u.Hostname(); }); });
  part("getPort", "url_get_port", [](Args a) { return Part(a[0], [](const GoUrl& u) { return u.Port(); }); });
  part("getEscapedPath", "url_get_escaped_path",
       [](Args a) { return Part(a[0], [](const GoUrl& u) { return u.EscapedPath(); }); });
  library.Member("getQuery", "url_get_query", {url}, MapOf(String(), ListOf(String())), Query);
}

}  // namespace keelson::cel

#include "api/validation/webhook_client.h"

#include <algorithm>

#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "base/ascii.h"

namespace keelson::api {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

using base::IsDigit;
using base::IsLetter;

struct Url {
  std::string_view scheme, user, host, query, fragment;
  bool has_user = false;
  std::string error;
};

// What is wrong with the percent signs of `text`; empty: nothing.
std::string BadEscape(std::string_view text) {
  for (size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    const std::string_view escape = text.substr(i, 3);
    if (escape.size() < 3 || base::HexValue(escape[1]) < 0 || base::HexValue(escape[2]) < 0)
      return "invalid URL escape " + Quoted(escape);
  }
  return {};
}

void ParseAuthority(std::string_view authority, Url& url) {
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.has_user = true;
    url.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  url.host = authority;
  const size_t bracket = authority.rfind(']');
  const size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return;
  const std::string_view port = authority.substr(colon);
  if (!std::ranges::all_of(port.substr(1), IsDigit))
    url.error = "invalid port " + Quoted(port) + " after host";
}

// The parts of a URL, as Go finds them.
Url Parse(std::string_view text) {
  Url url;
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    url.error = "net/url: invalid control character in URL";
    return url;
  }
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    url.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (text.starts_with(':')) {
    url.error = "missing protocol scheme";
    return url;
  }
  const auto in_scheme = [](char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; };
  const size_t end = std::ranges::find_if_not(text, in_scheme) - text.begin();
  const bool has_scheme = end < text.size() && text[end] == ':' && IsLetter(text[0]);
  if (has_scheme) {
    url.scheme = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (const size_t mark = text.find('?'); mark != std::string_view::npos) {
    url.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (!has_scheme && text.substr(0, text.find('/')).find(':') != std::string_view::npos) {
    url.error = "first path segment in URL cannot contain colon";
    return url;
  }
  if (text.starts_with("//")) {
    const std::string_view rest = text.substr(2);
    ParseAuthority(rest.substr(0, rest.find('/')), url);
  }
  if (url.error.empty()) url.error = BadEscape(text);
  return url;
}

}  // namespace

ErrorList ValidateWebhookUrl(std::string_view text, const Path& path) {
  constexpr std::string_view kDesiredFormat = "; desired format: https://host[/path]";
  ErrorList errors;
  const Url url = Parse(text);
  if (!url.error.empty()) {
    errors.Add(field::Required(path, "url must be a valid URL: parse " + Quoted(text) + ": " + url.error +
                                         std::string(kDesiredFormat)));
    return errors;
  }
  const auto refuse = [&](std::string_view part, std::string why) {
    errors.Add(field::Invalid(path, RenderValue(part), why));
  };
  if (url.scheme != "https")
    refuse(url.scheme, "'https' is the only allowed URL scheme" + std::string(kDesiredFormat));
  if (url.host.empty()) refuse(url.host, "host must be specified" + std::string(kDesiredFormat));
  if (url.has_user) refuse(url.user, "user information is not permitted in the URL");
  if (!url.fragment.empty()) refuse(url.fragment, "fragments are not permitted in the URL");
  if (!url.query.empty()) refuse(url.query, "query parameters are not permitted in the URL");
  return errors;
}

ErrorList ValidateWebhookService(std::string_view ns, std::string_view name,
                                 std::optional<std::string_view> url_path, int64_t port, const Path& path) {
  ErrorList errors;
  // Upstream reports each of the two as the other, and clients may know that by now.
  if (ns.empty()) errors.Add(field::Required(path.Child("name"), ""));
  if (name.empty()) errors.Add(field::Required(path.Child("namespace"), ""));
  std::string wrong_port;
  for (const std::string& message : IsPortNumber(port))
    wrong_port.append(wrong_port.empty() ? "port is not valid: " : ", ").append(message);
  if (!wrong_port.empty()) errors.Add(field::Invalid(path.Child("port"), RenderValue(port), wrong_port));

  if (!url_path || url_path->empty() || *url_path == "/") return errors;
  const auto refuse = [&](const std::string& why) {
    errors.Add(field::Invalid(path.Child("path"), RenderValue(*url_path), why));
  };
  if (*url_path == "//") {
    refuse("segment[0] may not be empty");
    return errors;
  }
  if (!url_path->starts_with('/')) refuse("must start with a '/'");
  std::string_view rest = url_path->substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0;; ++i) {
    const std::string_view step = rest.substr(0, rest.find('/'));
    const std::string segment = "segment[" + std::to_string(i) + "]";
    if (step.empty())
      refuse(segment + " may not be empty");
    else
      for (const std::string& message : IsDns1123Subdomain(step)) refuse(segment + ": " + message);
    if (step.size() == rest.size()) return errors;
    rest.remove_prefix(step.size() + 1);
  }
}

}  // namespace keelson::api

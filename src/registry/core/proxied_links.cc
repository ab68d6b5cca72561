#include "registry/core/proxied_links.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "net/http/url.h"

namespace keelson::registry::core {
namespace {

// The absolute path `a`/`b` without empty, "." and ".." elements. It ends with a slash if `b` does, and never
// begins with two, which would name a host.
std::string JoinCleaned(std::string_view a, std::string_view b) {
  std::vector<std::string_view> elements;
  for (std::string_view rest : {a, b}) {
    while (!rest.empty()) {
      const size_t slash = rest.find('/');
      const std::string_view element = rest.substr(0, slash);
      rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
      if (element.empty() || element == ".") continue;
      if (element != "..") {
        elements.push_back(element);
      } else if (!elements.empty()) {
        elements.pop_back();
      }
    }
  }
  std::string joined;
  for (const std::string_view element : elements) joined.append("/").append(element);
  if (joined.empty() || b.ends_with('/')) joined += '/';
  return joined;
}

// The parts of a reference as they are written: [scheme:][//[user@]host][path][tail].
struct Reference {
  std::string_view scheme, user, host, path;
  std::string_view tail;  // query and fragment, with their signs
  bool has_authority = false;
};

bool IsSchemeChar(char c) {
  return base::IsLetter(static_cast<unsigned char>(c)) || base::IsDigit(static_cast<unsigned char>(c)) ||
         c == '+' || c == '-' || c == '.';
}

Reference Split(std::string_view text) {
  Reference parts;
  const size_t tail = std::min(text.find_first_of("?#"), text.size());
  parts.tail = text.substr(tail);
  text = text.substr(0, tail);
  const size_t colon = text.find_first_of(":/");
  if (colon != std::string_view::npos && colon > 0 && text[colon] == ':' &&
      base::IsLetter(static_cast<unsigned char>(text[0])) &&
      std::ranges::all_of(text.substr(0, colon), IsSchemeChar)) {
    parts.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    parts.has_authority = true;
    text.remove_prefix(2);
    const size_t end = std::min(text.find('/'), text.size());
    parts.host = text.substr(0, end);
    text.remove_prefix(end);
    if (const size_t at = parts.host.rfind('@'); at != std::string_view::npos) {
      parts.user = parts.host.substr(0, at + 1);
      parts.host.remove_prefix(at + 1);
    }
  }
  parts.path = text;
  return parts;
}

}  // namespace

std::string ProxiedLinks::PrefixOf(std::string_view path, std::string_view backend_path) {
  std::string suffix(backend_path);
  if (path.ends_with('/') && !suffix.ends_with('/')) suffix += '/';
  if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  return std::string(path);
}

std::string ProxiedLinks::ForwardedUri(std::string_view escaped_path) const {
  return JoinCleaned(net::http::PathEscape(prefix), escaped_path);
}

base::Result<std::string, std::string> ProxiedLinks::Location(std::string_view said) const {
  if (std::ranges::any_of(said, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    return base::Err(std::string("net/url: invalid control character in URL"));
  const Reference parts = Split(said);
  const std::string path = TRY(net::http::PathUnescape(parts.path));
  const bool elsewhere = !parts.host.empty() && parts.host != backend && parts.host != host;
  if (elsewhere || !path.starts_with('/')) return std::string(said);
  std::string location;
  if (parts.has_authority && !parts.host.empty() && parts.host == host) {
    if (!parts.scheme.empty()) location.append(parts.scheme).append(":");
    location.append("//").append(parts.user).append(parts.host);
  }
  if (path.starts_with(prefix)) return location.append(parts.path).append(parts.tail);
  return location.append(net::http::PathEscape(JoinCleaned(prefix, path))).append(parts.tail);
}

}  // namespace keelson::registry::core

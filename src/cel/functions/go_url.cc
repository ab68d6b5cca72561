#include "cel/functions/go_url.h"

#include <algorithm>
#include <optional>

#include "api/validation/quote.h"
#include "base/ascii.h"

namespace keelson::cel {
namespace {

using base::HexValue;
using base::IsDigit;
using base::IsLetter;

enum class Part { kPath, kHost, kQuery, kUser };

// Decodes percent signs; nothing: `error` says why not.
std::optional<std::string> Unescape(std::string_view text, Part part, std::string& error) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) {
        error = "invalid URL escape " + api::Quoted(text.substr(i, 3));
        return std::nullopt;
      }
      const char c = static_cast<char>(HexValue(text[i + 1]) << 4 | HexValue(text[i + 2]));
      // In a host only what is not ASCII may be escaped.
      if (part == Part::kHost && HexValue(text[i + 1]) < 8 && text.substr(i, 3) != "%25") {
        error = "invalid URL escape " + api::Quoted(text.substr(i, 3));
        return std::nullopt;
      }
      out += c;
      i += 2;
    } else if (text[i] == '+' && part == Part::kQuery) {
      out += ' ';
    } else {
      const unsigned char c = static_cast<unsigned char>(text[i]);
      if (part == Part::kHost && c < 0x80 && !IsLetter(text[i]) && !IsDigit(text[i]) &&
          std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(text[i]) == std::string_view::npos) {
        error = "invalid character " + api::Quoted(text.substr(i, 1)) + " in host name";
        return std::nullopt;
      }
      out += text[i];
    }
  }
  return out;
}

bool StaysInPath(char c) {
  return IsLetter(c) || IsDigit(c) || std::string_view("-_.~$&+,/:;=@").find(c) != std::string_view::npos;
}

std::string EscapePath(std::string_view path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    if (StaysInPath(c)) {
      out += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
  }
  return out;
}

// Whether a path as it was written may be given out again.
bool IsValidEncoded(std::string_view path) {
  return std::ranges::all_of(path, [](char c) {
    return StaysInPath(c) || std::string_view("!'()*[]%").find(c) != std::string_view::npos;
  });
}

struct Scheme {
  std::string name;
  std::string_view rest;
};

std::optional<Scheme> SplitScheme(std::string_view text, std::string& error) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsLetter(c)) continue;
    if (IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) break;
      continue;
    }
    if (c != ':') break;
    if (i == 0) {
      error = "missing protocol scheme";
      return std::nullopt;
    }
    std::string name(text.substr(0, i));
    for (char& letter : name)
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 32);
    return Scheme{std::move(name), text.substr(i + 1)};
  }
  return Scheme{"", text};
}

bool IsValidPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::ranges::all_of(port.substr(1), IsDigit));
}

std::string ParseHost(std::string_view text, GoUrl& url) {
  std::string error;
  if (text.starts_with('[')) {
    const size_t close = text.rfind(']');
    if (close == std::string_view::npos) return "missing ']' in host";
    if (!IsValidPort(text.substr(close + 1)))
      return "invalid port " + api::Quoted(text.substr(close + 1)) + " after host";
  } else if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (!IsValidPort(text.substr(colon)))
      return "invalid port " + api::Quoted(text.substr(colon)) + " after host";
  }
  const auto host = Unescape(text, Part::kHost, error);
  if (!host) return error;
  url.host = *host;
  return "";
}

std::string ParseAuthority(std::string_view text, GoUrl& url) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos) return ParseHost(text, url);
  if (std::string error = ParseHost(text.substr(at + 1), url); !error.empty()) return error;
  url.has_user = true;
  url.user = std::string(text.substr(0, at));
  const bool valid = std::ranges::all_of(url.user, [](char c) {
    return IsLetter(c) || IsDigit(c) ||
           std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
  });
  return valid ? "" : "net/url: invalid userinfo";
}

std::string Parse(std::string_view text, GoUrl& url) {
  std::string error;
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return "net/url: invalid control character in URL";
  if (text.empty()) return "empty url";
  if (text == "*") {
    url.path = "*";
    return "";
  }
  const auto scheme = SplitScheme(text, error);
  if (!scheme) return error;
  url.scheme = scheme->name;
  std::string_view rest = scheme->rest;
  if (const size_t query = rest.find('?'); query != std::string_view::npos) {
    url.raw_query = std::string(rest.substr(query + 1));
    rest = rest.substr(0, query);
  }
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) return "";  // opaque: mailto:someone
    return "invalid URI for request";
  }
  if ((!url.scheme.empty() || !rest.starts_with("///")) && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const size_t slash = rest.find('/');
    const std::string_view authority = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
    if (error = ParseAuthority(authority, url); !error.empty()) return error;
  }
  const auto path = Unescape(rest, Part::kPath, error);
  if (!path) return error;
  url.path = *path;
  if (rest != EscapePath(url.path)) url.raw_path = std::string(rest);
  return "";
}

}  // namespace

std::string_view GoUrl::Hostname() const {
  std::string_view name = host;
  const size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && IsValidPort(name.substr(colon))) name = name.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

std::string_view GoUrl::Port() const {
  const std::string_view name = host;
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || !IsValidPort(name.substr(colon))) return {};
  return name.substr(colon + 1);
}

std::string GoUrl::EscapedPath() const {
  if (!raw_path.empty() && IsValidEncoded(raw_path)) return raw_path;
  return path == "*" ? "*" : EscapePath(path);
}

std::map<std::string, std::vector<std::string>> GoUrl::Query() const {
  std::map<std::string, std::vector<std::string>> values;
  std::string_view rest = raw_query;
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const size_t equals = pair.find('=');
    std::string error;
    const auto name = Unescape(pair.substr(0, equals), Part::kQuery, error);
    const auto value =
        Unescape(equals == std::string_view::npos ? "" : pair.substr(equals + 1), Part::kQuery, error);
    if (name && value) values[*name].push_back(*value);
  }
  return values;
}

base::Result<GoUrl, std::string> ParseRequestUri(std::string_view text) {
  GoUrl url;
  if (const std::string why = Parse(text, url); !why.empty())
    return base::Err("parse " + api::Quoted(text) + ": " + why);
  return url;
}

}  // namespace keelson::cel

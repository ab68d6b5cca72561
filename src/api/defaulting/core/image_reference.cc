#include "api/defaulting/core/image_reference.h"

#include <algorithm>
#include <cctype>

namespace keelson::api::core {
namespace {

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Lower-case words joined by one dot, one or two underscores, or any dashes.
bool IsPathComponent(std::string_view s) {
  size_t i = 0;
  auto word = [&] {
    const size_t begin = i;
    while (i < s.size() && IsLowerOrDigit(s[i])) ++i;
    return i > begin;
  };
  if (!word()) return false;
  while (i < s.size()) {
    const char c = s[i];
    if (c != '.' && c != '_' && c != '-') return false;
    const size_t begin = i;
    while (i < s.size() && s[i] == c) ++i;
    const size_t run = i - begin;
    if ((c == '.' && run > 1) || (c == '_' && run > 2)) return false;
    if (!word()) return false;
  }
  return true;
}

bool IsRepository(std::string_view s) {
  while (true) {
    const size_t slash = s.find('/');
    if (!IsPathComponent(s.substr(0, slash))) return false;
    if (slash == s.npos) return true;
    s.remove_prefix(slash + 1);
  }
}

// The first part of a name is a registry when it looks like a host.
bool LooksLikeHost(std::string_view s) {
  return s == "localhost" || s.find_first_of(".:") != s.npos ||
         std::ranges::any_of(s, [](unsigned char c) { return std::isupper(c); });
}

bool IsHost(std::string_view s) {
  const size_t colon = s.find(':');
  if (colon != s.npos) {
    const std::string_view port = s.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, [](unsigned char c) { return std::isdigit(c); }))
      return false;
    s = s.substr(0, colon);
  }
  while (true) {
    const size_t dot = s.find('.');
    const std::string_view label = s.substr(0, dot);
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (!std::ranges::all_of(label, [](char c) { return IsAlnum(c) || c == '-'; })) return false;
    if (dot == s.npos) return true;
    s.remove_prefix(dot + 1);
  }
}

bool IsName(std::string_view s) {
  const size_t slash = s.find('/');
  if (slash != s.npos && LooksLikeHost(s.substr(0, slash))) {
    return IsHost(s.substr(0, slash)) && IsRepository(s.substr(slash + 1));
  }
  // 64 hexadecimal digits would be an image id.
  if (s.size() == 64 && std::ranges::all_of(s, IsHex)) return false;
  return IsRepository(s);
}

bool IsTag(std::string_view s) {
  auto word = [](char c) { return IsAlnum(c) || c == '_'; };
  return !s.empty() && s.size() <= 128 && word(s[0]) &&
         std::ranges::all_of(s, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

}  // namespace

bool IsLatestImage(std::string_view image) {
  if (image.find('@') != image.npos) {
    const size_t at = image.find('@');
    const std::string_view name = image.substr(0, at);
    const size_t colon = name.rfind(':');
    if (colon == name.npos || name.find('/', colon) != name.npos) return false;
    return IsName(name.substr(0, colon)) && name.substr(colon + 1) == "latest";
  }
  const size_t colon = image.rfind(':');
  const bool tagged = colon != image.npos && image.find('/', colon) == image.npos;
  if (!tagged) return IsName(image);
  const std::string_view tag = image.substr(colon + 1);
  return IsTag(tag) && tag == "latest" && IsName(image.substr(0, colon));
}

}  // namespace keelson::api::core

#include "api/validation/domain_path.h"

#include <algorithm>

#include "api/validation/core/checks.h"

namespace keelson::api {
namespace {

bool IsHttpPath(std::string_view path) {
  constexpr std::string_view kPunctuation = "/-._~%!$&'()*+,;=:";
  return std::ranges::all_of(path, [&](char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || kPunctuation.find(c) != kPunctuation.npos;
  });
}

}  // namespace

void CheckDomainPrefixedPath(std::string_view value, const field::Path& path, field::ErrorList& errors) {
  if (value.empty()) return errors.Add(field::Required(path, ""));
  const size_t slash = value.find('/');
  if (slash == value.npos || slash == 0 || slash + 1 == value.size()) {
    return errors.Add(field::Invalid(path, field::RenderValue(value),
                                     "must be a domain-prefixed path (such as \"acme.io/foo\")"));
  }
  const std::string_view host = value.substr(0, slash), rest = value.substr(slash + 1);
  core::CheckDnsSubdomain(host, path, errors);
  if (IsHttpPath(rest)) return;
  errors.Add(field::Invalid(
      path, field::RenderValue(rest),
      RegexMessage("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", std::span<const std::string_view>())));
}

}  // namespace keelson::api

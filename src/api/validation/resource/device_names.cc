#include "api/validation/resource/device_names.h"

#include <algorithm>
#include <set>

#include "api/codec/json_reader.h"
#include "api/validation/labels.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "api/validation/semantic_version.h"
#include "base/ascii.h"

namespace keelson::api::resource {
namespace {

using base::IsDigit;
using field::RenderValue;

constexpr size_t kMaxIdLength = 32, kMaxDriverLength = 63;

void CheckIdentifier(std::string_view id, const Path& path, ErrorList& errors) {
  if (id.size() > kMaxIdLength) errors.Add(field::TooLong(path, kMaxIdLength));
  errors.AddInvalid(path, id, IsCIdentifier(id));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

bool CheckSize(size_t size, size_t max, const Path& path, ErrorList& errors) {
  if (size <= max) return true;
  errors.Add(field::TooMany(path, size, max));
  return false;
}

void CheckDriverName(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.empty()) {
    errors.Add(field::Required(path, ""));
    return;
  }
  if (name.size() > kMaxDriverLength) errors.Add(field::TooLong(path, kMaxDriverLength));
  errors.AddInvalid(path, name, IsDns1123Subdomain(Lower(name)));
}

void CheckPoolName(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.empty()) {
    errors.Add(field::Required(path, ""));
    return;
  }
  if (name.size() > kDns1123SubdomainMaxLength) errors.Add(field::TooLong(path, kDns1123SubdomainMaxLength));
  for (;;) {
    const std::string_view part = name.substr(0, name.find('/'));
    errors.AddInvalid(path, part, IsDns1123Subdomain(part));
    if (part.size() == name.size()) return;
    name.remove_prefix(part.size() + 1);
  }
}

void CheckQualifiedName(std::string_view name, const Path& path, ErrorList& errors) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return CheckIdentifier(name, path, errors);
  // Upstream lets pass what has several.
  if (name.find('/', slash + 1) != std::string_view::npos) return;
  const std::string_view domain = name.substr(0, slash), id = name.substr(slash + 1);
  if (domain.empty()) {
    errors.Add(field::Invalid(path, RenderValue(""), "the domain must not be empty"));
  } else {
    CheckDriverName(domain, path, errors);
  }
  if (id.empty()) {
    errors.Add(field::Invalid(path, RenderValue(""), "the name must not be empty"));
  } else {
    CheckIdentifier(id, path, errors);
  }
}

void CheckFullyQualifiedName(std::string_view name, const Path& path, ErrorList& errors) {
  CheckQualifiedName(name, path, errors);
  if (name.find('/') == std::string_view::npos)
    errors.Add(field::Invalid(path, RenderValue(name),
                              "a fully qualified name must be a domain and a name separated by a slash"));
}

void CheckUuid(std::string_view uid, const Path& path, ErrorList& errors) {
  constexpr size_t kLength = 36;
  bool good = uid.size() == kLength;
  for (size_t i = 0; good && i < uid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    good = dash ? uid[i] == '-' : IsDigit(uid[i]) || (uid[i] >= 'a' && uid[i] <= 'f');
  }
  if (!good)
    errors.Add(
        field::Invalid(path, RenderValue(uid),
                       "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` "
                       "with lowercase hexadecimal characters"));
}

void CheckSemanticVersion(std::string_view version, const Path& path, ErrorList& errors) {
  if (!IsSemanticVersion(version))
    errors.Add(
        field::Invalid(path, RenderValue(version), "must be a string compatible with semver.org spec 2.0.0"));
}

void CheckParameters(std::string_view json, size_t max_bytes, const Path& path, ErrorList& errors) {
  if (json.empty() || json == "null") {
    errors.Add(field::Required(path, ""));
  } else if (json.size() > max_bytes) {
    errors.Add(field::TooLong(path, max_bytes));
  } else if (json.find_first_not_of(" \t\r\n") == std::string_view::npos ||
             json[json.find_first_not_of(" \t\r\n")] != '{') {
    errors.Add(field::Invalid(path, RenderValue("<value omitted>"), "must be a valid JSON object"));
  }
}

void CheckBindingConditions(const StructNode* node, ScalarList conditions, ScalarList failure_conditions,
                            const Path& path, ErrorList& errors) {
  constexpr size_t kMaxConditions = 4;
  const Path good = path.Child("bindingConditions"), bad = path.Child("bindingFailureConditions");
  const auto check_names = [&](ScalarList list, const Path& at) {
    if (!CheckSize(list.size(), kMaxConditions, at, errors)) return;
    for (size_t i = 0; i < list.size(); ++i) errors.Append(ValidateLabelName(list[i].string(), at.Index(i)));
  };
  check_names(conditions, good);
  check_names(failure_conditions, bad);
  std::set<std::string_view> seen, failures;
  for (size_t i = 0; i < conditions.size(); ++i)
    if (!seen.insert(conditions[i].string()).second)
      errors.Add(field::Duplicate(good.Index(i), RenderValue(conditions[i].string())));
  for (size_t i = 0; i < failure_conditions.size(); ++i) {
    const std::string_view condition = failure_conditions[i].string();
    if (!failures.insert(condition).second)
      errors.Add(field::Duplicate(bad.Index(i), RenderValue(condition)));
    if (seen.contains(condition))
      errors.Add(field::Invalid(bad.Index(i), RenderValue(condition),
                                "bindingFailureConditions must not overlap with bindingConditions"));
  }
  if (conditions.empty() && !failure_conditions.empty())
    errors.Add(field::Invalid(good, field::RenderField(node, "bindingConditions"),
                              "bindingConditions are required to use bindingFailureConditions"));
  if (failure_conditions.empty() && !conditions.empty())
    errors.Add(field::Invalid(bad, field::RenderField(node, "bindingFailureConditions"),
                              "bindingFailureConditions are required to use bindingConditions"));
}

}  // namespace keelson::api::resource

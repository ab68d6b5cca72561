#include "api/validation/core/checks.h"

#include <algorithm>

namespace keelson::api::core {

void AddMessages(const Path& path, const std::string& rendered, const Messages& messages, ErrorList& errors) {
  for (const auto& message : messages) errors.Add(field::Invalid(path, rendered, message));
}

void CheckRequired(std::string_view value, const Path& path, ErrorList& errors) {
  if (value.empty()) errors.Add(field::Required(path, ""));
}

void CheckNonNegative(int64_t value, const Path& path, ErrorList& errors) {
  if (value < 0) errors.Add(field::Invalid(path, field::RenderValue(value), kMustBeNonNegative));
}

void CheckPositive(int64_t value, const Path& path, ErrorList& errors) {
  if (value <= 0) errors.Add(field::Invalid(path, field::RenderValue(value), kMustBePositive));
}

void CheckInRange(int64_t value, int64_t min, int64_t max, const Path& path, ErrorList& errors) {
  if (value < min || value > max)
    errors.Add(field::Invalid(path, field::RenderValue(value), RangeMessage(min, max)));
}

void CheckFileMode(int64_t mode, const Path& path, ErrorList& errors) {
  if (mode >= 0 && mode <= 0777) return;
  errors.Add(field::Invalid(path, field::RenderValue(mode),
                            "must be a number between 0 and 0777 (octal), both inclusive"));
}

void CheckSupported(std::string_view value, std::span<const std::string_view> supported, const Path& path,
                    ErrorList& errors) {
  if (std::ranges::find(supported, value) != supported.end()) return;
  errors.Add(field::NotSupported(path, field::RenderValue(value), supported));
}

void CheckRequiredSupported(std::string_view value, std::span<const std::string_view> supported,
                            const Path& path, ErrorList& errors) {
  if (value.empty()) {
    errors.Add(field::Required(path, ""));
  } else {
    CheckSupported(value, supported, path, errors);
  }
}

void CheckDnsLabel(std::string_view value, const Path& path, ErrorList& errors) {
  errors.AddInvalid(path, value, IsDns1123Label(value));
}

void CheckRequiredDnsLabel(std::string_view value, const Path& path, ErrorList& errors) {
  if (value.empty()) {
    errors.Add(field::Required(path, ""));
  } else {
    CheckDnsLabel(value, path, errors);
  }
}

void CheckDnsSubdomain(std::string_view value, const Path& path, ErrorList& errors) {
  errors.AddInvalid(path, value, IsDns1123Subdomain(value));
}

void CheckQualifiedName(std::string_view value, const Path& path, ErrorList& errors) {
  errors.AddInvalid(path, value, IsQualifiedName(value));
}

void CheckRequiredPathSegment(std::string_view value, const Path& path, ErrorList& errors) {
  if (value.empty()) {
    errors.Add(field::Required(path, ""));
  } else {
    errors.AddInvalid(path, value, IsPathSegmentName(value));
  }
}

void CheckPortNumber(int64_t port, const Path& path, ErrorList& errors) {
  AddMessages(path, field::RenderValue(port), IsPortNumber(port), errors);
}

void CheckPortNumberOrName(const Value& port, const Path& path, ErrorList& errors) {
  if (port.is(Value::Tag::kString)) {
    errors.AddInvalid(path, port.string(), IsPortName(port.string()));
  } else {
    CheckPortNumber(port.integer(), path, errors);
  }
}

void CheckNoBacksteps(std::string_view target, const Path& path, ErrorList& errors) {
  std::string_view rest = target;
  while (true) {
    const size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") {
      errors.Add(field::Invalid(path, field::RenderValue(target), "must not contain '..'"));
      return;
    }
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void CheckDescendingPath(std::string_view target, const Path& path, ErrorList& errors) {
  if (target.starts_with('/'))
    errors.Add(field::Invalid(path, field::RenderValue(target), "must be a relative path"));
  CheckNoBacksteps(target, path, errors);
}

void CheckNonReservedPath(std::string_view target, const Path& path, ErrorList& errors) {
  CheckDescendingPath(target, path, errors);
  if (target.starts_with("..") && !target.starts_with("../")) {
    errors.Add(field::Invalid(path, field::RenderValue(target), "must not start with '..'"));
  }
}

bool SameStruct(const StructView& a, const StructView& b) {
  if (!a && !b) return true;
  return Equal(a.node(), b.node());
}

bool SameMap(MapView a, MapView b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const MapNode::Entry& x, const MapNode::Entry& y) {
                      return x.key == y.key && x.value.string() == y.value.string();
                    });
}

bool SameStrings(ScalarList a, ScalarList b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Value& x, const Value& y) { return x.string() == y.string(); });
}

}  // namespace keelson::api::core

#include "api/validation/labels.h"

#include <algorithm>
#include <string>

#include "api/validation/names.h"

namespace keelson::api {

field::ErrorList ValidateLabelName(std::string_view name, const field::Path& path) {
  field::ErrorList errors;
  errors.AddInvalid(path, name, IsQualifiedName(name));
  return errors;
}

field::ErrorList ValidateLabels(MapView labels, const field::Path& path) {
  field::ErrorList errors;
  for (const auto& [key, value] : labels) {
    errors.AddInvalid(path, key, IsQualifiedName(key));
    errors.AddInvalid(path, value.string(), IsLabelValue(value.string()));
  }
  return errors;
}

field::ErrorList ValidateAnnotations(MapView annotations, const field::Path& path) {
  field::ErrorList errors;
  size_t total = 0;
  std::string lower;
  for (const auto& [key, value] : annotations) {
    lower.assign(key);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    errors.AddInvalid(path, key, IsQualifiedName(lower));
    total += key.size() + value.string().size();
  }
  if (total > kTotalAnnotationSizeLimit) errors.Add(field::TooLong(path, kTotalAnnotationSizeLimit));
  return errors;
}

}  // namespace keelson::api

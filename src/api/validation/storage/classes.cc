#include "api/validation/storage/classes.h"

#include <algorithm>
#include <string>

#include "api/validation/names.h"

namespace keelson::api::storage_api {

void CheckProvisioner(std::string_view provisioner, const field::Path& path, field::ErrorList& errors) {
  if (provisioner.empty()) return errors.Add(field::Required(path, ""));
  std::string lower(provisioner);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  errors.AddInvalid(path, lower, IsQualifiedName(lower));
}

void CheckParameters(MapView parameters, bool may_be_empty, const field::Path& path,
                     field::ErrorList& errors) {
  constexpr size_t kMaxCount = 512, kMaxBytes = 256 * 1024;
  if (parameters.size() > kMaxCount) return errors.Add(field::TooLong(path, kMaxCount));
  size_t bytes = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) errors.Add(field::Invalid(path, field::RenderValue(key), "field can not be empty."));
    bytes += key.size() + value.string().size();
  }
  if (bytes > kMaxBytes) errors.Add(field::TooLong(path, kMaxBytes));
  if (!may_be_empty && parameters.empty())
    errors.Add(field::Required(path, "must contain at least one key/value pair"));
}

}  // namespace keelson::api::storage_api

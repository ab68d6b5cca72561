#include "api/validation/core/config_map.h"

#include "api/validation/core/fields.h"
#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;

}  // namespace

ErrorList ValidateConfigMap(core_v1::ConfigMapView config_map) {
  ErrorList errors;
  size_t total = 0;
  const Path data("data"), binary_data("binaryData");
  for (const auto& [key, value] : config_map.data()) {
    errors.AddInvalid(data.Key(key), key, IsConfigMapKey(key));
    if (config_map.binary_data().Find(key)) {
      errors.Add(
          field::Invalid(data.Key(key), field::RenderValue(key), "duplicate of key present in binaryData"));
    }
    total += value.string().size();
  }
  for (const auto& [key, value] : config_map.binary_data()) {
    errors.AddInvalid(binary_data.Key(key), key, IsConfigMapKey(key));
    total += value.string().size();
  }
  // No single field is to blame.
  if (total > kMaxSecretSize) errors.Add(field::TooLong(Path("[]"), kMaxSecretSize));
  return errors;
}

ErrorList ValidateConfigMapUpdate(core_v1::ConfigMapView now, core_v1::ConfigMapView was) {
  ErrorList errors;
  if (was.immutable()) {
    const auto keep = [&](bool same, std::string_view name) {
      if (!same) errors.Add(field::Forbidden(Path(name), kImmutableOnceSet));
    };
    keep(now.immutable(), "immutable");
    keep(SameField(now, was, "data"), "data");
    keep(SameField(now, was, "binaryData"), "binaryData");
  }
  errors.Append(ValidateConfigMap(now));
  return errors;
}

}  // namespace keelson::api::core

#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// All values of a ConfigMap or a Secret together.
constexpr size_t kMaxSecretSize = 1024 * 1024;
constexpr std::string_view kImmutableOnceSet = "field is immutable when `immutable` is set";

field::ErrorList ValidateConfigMap(core_v1::ConfigMapView config_map);
field::ErrorList ValidateConfigMapUpdate(core_v1::ConfigMapView now, core_v1::ConfigMapView was);

}  // namespace keelson::api::core

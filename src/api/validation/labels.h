// Labels and annotations.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/types/view.h"
#include "api/validation/field.h"

namespace keelson::api {

constexpr size_t kTotalAnnotationSizeLimit = 256 * 1024;  // bytes of all keys and values

field::ErrorList ValidateLabelName(std::string_view name, const field::Path& path);
field::ErrorList ValidateLabels(MapView labels, const field::Path& path);
// Keys are qualified names in any case.
field::ErrorList ValidateAnnotations(MapView annotations, const field::Path& path);

}  // namespace keelson::api

// Amounts given as a number or as a share of another: 3 or "25%".
#pragma once

#include <cstdint>
#include <string>

#include "api/types/doc.h"
#include "api/validation/field.h"

namespace keelson::api {

// A number that is not negative, or a percentage.
void CheckIntOrPercent(const Value& value, const field::Path& path, field::ErrorList& errors);
void CheckAtMost100Percent(const Value& value, const field::Path& path, field::ErrorList& errors);
// The number, be it absolute or of percent; what is neither reads as zero.
int64_t IntOrPercentValue(const Value& value);
// In messages; absent reads as zero.
std::string RenderIntOrString(const Value& value);

}  // namespace keelson::api

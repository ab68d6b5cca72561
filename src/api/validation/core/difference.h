// How two structs differ, for messages about what may not change.
#pragma once

#include <string>

#include "api/types/doc.h"

namespace keelson::api::core {

// The fields that differ, as they were (-) and as they would be (+), one per line.
// Requires: both are of one type.
std::string DescribeDifference(const StructNode* was, const StructNode* now);

}  // namespace keelson::api::core

// Files of one volume that would be written over each other.
#pragma once

#include <string>
#include <vector>

#include "api/generated/core_v1.h"

namespace keelson::registry::core {

void WarnOfOverlappingPaths(api::ListView<api::core_v1::VolumeView> volumes,
                            std::vector<std::string>& warnings);

}  // namespace keelson::registry::core

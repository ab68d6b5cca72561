// AppArmor profiles of pods that still come as annotations.
#pragma once

#include <string>
#include <vector>

#include "api/generated/core_v1.h"

namespace keelson::registry::core {

// Sets the profile of each container that has one in an annotation alone. `warnings` (null:
// nobody reads them) get one for each such annotation.
void AdoptAppArmorAnnotations(api::core_v1::PodEditor pod, std::vector<std::string>* warnings);

}  // namespace keelson::registry::core

// Resources that several files of this folder ask the stores for.
#pragma once

#include "api/types/resource_desc.h"

namespace keelson::registry::core {

constexpr api::GroupResource kPods{"", "pods"};

}  // namespace keelson::registry::core

// componentstatuses: how the parts of the control plane on this machine are, asked anew for
// each request.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> ServeComponentStatuses(ServingOptions options, const Dependencies& dependencies);

}  // namespace keelson::registry::core

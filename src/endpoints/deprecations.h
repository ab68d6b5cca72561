// Kinds that clients should leave: every request for one is answered with a warning.
#pragma once

#include <string_view>

#include "api/types/resource_desc.h"

namespace keelson::endpoints {

// Upstream's words for it; empty for what is not deprecated.
std::string_view DeprecationWarning(const api::ResourceDesc& resource);

}  // namespace keelson::endpoints

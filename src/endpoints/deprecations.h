// Kinds that clients should leave: every request for one is answered with a warning.
#pragma once

#include <string_view>

#include "api/types/resource_desc.h"

namespace keelson::endpoints {

// Upstream's words for it; empty for what is not deprecated.
std::string_view DeprecationWarning(const api::ResourceDesc& resource);

// The release that does not serve it any more, "1.38"; empty: that is not decided.
std::string_view RemovedRelease(const api::ResourceDesc& resource);

}  // namespace keelson::endpoints

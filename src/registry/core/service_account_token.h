// The token subresource of service accounts: answered with a token, not kept.
#pragma once

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> MakeTokenRequests(ServingOptions options, const Dependencies& dependencies);

}  // namespace keelson::registry::core

// The APIServices of the groups and versions that the server itself serves.
#pragma once

#include <span>

#include "api/types/resource_desc.h"
#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// Creates those that are absent. `served` is what is served; borrowed until the end of the task.
base::Task<Done> EnsureApiServices(const client::Client& client,
                                   std::span<const api::ResourceDesc* const> served);

}  // namespace keelson::bootstrap

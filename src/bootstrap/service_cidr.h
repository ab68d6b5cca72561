// The range of addresses that services have by the flags.
#pragma once

#include <vector>

#include "api/validation/ip.h"
#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// The ServiceCIDR "kubernetes", made from `ranges` (primary first) where it is absent, and marked as ready.
// One of other ranges is told of by an event, unless `told`, which is then set and outlives the task.
base::Task<Done> EnsureDefaultServiceCidr(const client::Client& client, std::vector<api::Cidr> ranges,
                                          bool& told);

}  // namespace keelson::bootstrap

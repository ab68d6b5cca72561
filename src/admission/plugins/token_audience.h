// Which audiences the tokens are for that a pod's volumes need.
#pragma once

#include <string>
#include <string_view>

#include "api/generated/core_v1.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::admission {

// Whether a volume of the pod needs a token for `audience`: a projected one names it, or the CSI driver of
// the volume asks for it, be the driver named by the volume, by its claim or by the in-tree source that it
// has taken over. Error: none does, as far as could be found out, and what could not be. Borrows its
// arguments until the task is done.
base::Task<base::Result<bool, std::string>> PodNeedsAudience(const client::Client& objects,
                                                             api::core_v1::PodView pod,
                                                             std::string_view audience);

}  // namespace keelson::admission

// The service by which pods find this server.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "registry/store.h"

namespace keelson::app {

// Creates default/kubernetes if it is absent: port 443 of `cluster_ip`, which is forwarded to
// `port` of the servers. What exists is left as it is. Requires: the namespace default exists.
base::Task<base::Result<void, std::string>> EnsureKubernetesService(registry::Store& services,
                                                                    std::string_view cluster_ip,
                                                                    uint16_t port);

}  // namespace keelson::app

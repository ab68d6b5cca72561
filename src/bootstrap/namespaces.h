// The namespaces every cluster has.
#pragma once

#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// Creates those of default, kube-system, kube-public and kube-node-lease that are absent.
base::Task<Done> EnsureNamespaces(const client::Client& client);

}  // namespace keelson::bootstrap

// The default roles and bindings.
#pragma once

#include <vector>

#include "bootstrap/ensure.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::bootstrap {

// Makes those that are missing, and gives the others what they lack. All at once, so that they share a few
// commits.
base::Task<Done> EnsureRoles(const client::Client& client, std::vector<registry::rbac::PolicyObject> policy);

}  // namespace keelson::bootstrap

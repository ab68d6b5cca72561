// Nobody may grant more than they have: what writes of roles and bindings are asked.
//
// Members of system:masters are asked nothing, nor is whoever may `escalate` the role, or `bind` the role
// that a binding is for. Others must hold, in the namespace of the request, every permission that they grant.
// What they hold is read from the stores, not from what the authorizer knows.
#pragma once

#include "registry/group.h"

namespace keelson::registry::rbac {

std::unique_ptr<WriteCheck> MakeRoleCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeClusterRoleCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeRoleBindingCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeClusterRoleBindingCheck(const Dependencies& dependencies);

}  // namespace keelson::registry::rbac

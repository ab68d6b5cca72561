// The strategies of rbac.authorization.k8s.io/v1, one file each beside this one.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::rbac {

const Strategy& Roles();
const Strategy& RoleBindings();
const Strategy& ClusterRoles();
const Strategy& ClusterRoleBindings();

}  // namespace keelson::registry::rbac

// Rules of rbac.authorization.k8s.io/v1.
#pragma once

#include "api/generated/rbac_v1.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api::rbac {

constexpr std::string_view kGroupName = "rbac.authorization.k8s.io";

// Names of roles and bindings: anything that can stand in a path.
Messages ValidateName(std::string_view name, bool prefix);

field::ErrorList ValidateRole(rbac_v1::RoleView role);
field::ErrorList ValidateClusterRole(rbac_v1::ClusterRoleView role);
field::ErrorList ValidateClusterRoleUpdate(rbac_v1::ClusterRoleView now, rbac_v1::ClusterRoleView was);
field::ErrorList ValidateRoleBinding(rbac_v1::RoleBindingView binding);
field::ErrorList ValidateRoleBindingUpdate(rbac_v1::RoleBindingView now, rbac_v1::RoleBindingView was);
field::ErrorList ValidateClusterRoleBinding(rbac_v1::ClusterRoleBindingView binding);
field::ErrorList ValidateClusterRoleBindingUpdate(rbac_v1::ClusterRoleBindingView now,
                                                  rbac_v1::ClusterRoleBindingView was);

}  // namespace keelson::api::rbac

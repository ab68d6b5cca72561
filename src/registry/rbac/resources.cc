#include "registry/rbac/resources.h"

#include "registry/rbac/escalation_check.h"
#include "registry/rbac/strategies.h"

namespace keelson::registry::rbac {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "clusterrolebindings",
       .strategy = ClusterRoleBindings,
       .make_check = MakeClusterRoleBindingCheck},
      {.plural = "clusterroles", .strategy = ClusterRoles, .make_check = MakeClusterRoleCheck},
      {.plural = "rolebindings", .strategy = RoleBindings, .make_check = MakeRoleBindingCheck},
      {.plural = "roles", .strategy = Roles, .make_check = MakeRoleCheck},
  };
  return {"rbac.authorization.k8s.io", rows};
}

}  // namespace keelson::registry::rbac

#include "registry/rbac/resources.h"

#include "registry/rbac/strategies.h"

namespace keelson::registry::rbac {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "clusterrolebindings", .strategy = ClusterRoleBindings},
      {.plural = "clusterroles", .strategy = ClusterRoles},
      {.plural = "rolebindings", .strategy = RoleBindings},
      {.plural = "roles", .strategy = Roles},
  };
  return {"rbac.authorization.k8s.io", rows};
}

}  // namespace keelson::registry::rbac

// Cluster: the objects that every cluster has, made by its servers and kept.
#pragma once

#include <span>
#include <vector>

#include "api/types/resource_desc.h"
#include "api/validation/ip.h"
#include "bootstrap/ensure.h"
#include "bootstrap/kubernetes_service.h"
#include "registry/core/service_network.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::bootstrap {

// Threads: everything on one loop. Borrows all.
class Cluster {
 public:
  Cluster(const client::Client& client, registry::core::ServiceNetwork& services,
          KubernetesService& kubernetes)
      : client_(client), services_(services), kubernetes_(kubernetes) {}

  // Everything, before this server is ready: namespaces, then the rest at once, so that it shares a few
  // commits. `served`: what has an APIService; `policy`: the roles and bindings. A server that cannot
  // make the service `kubernetes` yet, such as one on a full disk, serves reads and deletions all the same.
  base::Task<Done> Begin(std::vector<const api::ResourceDesc*> served,
                         std::vector<registry::rbac::PolicyObject> policy);
  // What must not be missing while it runs.
  base::Task<Done> Keep();

 private:
  // All but the namespaces.
  base::Task<Done> EnsureClasses();
  base::Task<Done> BeginServing();

  const client::Client& client_;
  registry::core::ServiceNetwork& services_;
  KubernetesService& kubernetes_;
  bool told_of_ranges_ = false;  // that those of the ServiceCIDR `kubernetes` are not those of the flags
};

}  // namespace keelson::bootstrap

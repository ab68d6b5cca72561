// Features: what the rules of objects depend on and a server may be with or without. Each is upstream's
// feature gate of that name, with its default.
#pragma once

namespace keelson::registry {

struct Features {
  bool dra_workload_resource_claims = false;
  bool extend_web_sockets_to_kubelet = true;
  bool generic_workload = false;
  bool pod_certificate_request = false;
  bool topology_aware_workload_scheduling = false;
  bool workload_aware_preemption = false;
};

}  // namespace keelson::registry

#include "api/defaulting/core/defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;

constexpr int32_t kClientIpTimeoutSeconds = 10800;

void SetSessionAffinityDefaults(ServiceSpecEditor spec) {
  if (spec.session_affinity().empty()) spec.set_session_affinity_static(ServiceAffinity::kNone);
  if (spec.session_affinity() == ServiceAffinity::kNone) spec.clear_session_affinity_config();
  if (spec.session_affinity() != ServiceAffinity::kClientIP) return;
  if (spec.session_affinity_config().client_ip().has_timeout_seconds()) return;
  spec.mutable_session_affinity_config().mutable_client_ip().set_timeout_seconds(kClientIpTimeoutSeconds);
}

void SetPortDefaults(ServicePortEditor port) {
  if (port.protocol().empty()) port.set_protocol_static(Protocol::kTCP);
  const Value& target = port.target_port();
  if (target.absent() || (target.integer() == 0 && target.string().empty())) {
    port.set_target_port(Value::Int(port.port()));
  }
}

}  // namespace

void SetServiceDefaults(Doc& doc) {
  ServiceEditor service(doc);
  auto spec = service.mutable_spec();
  SetSessionAffinityDefaults(spec);
  if (spec.type().empty()) spec.set_type_static(ServiceType::kClusterIP);
  for (auto port : spec.edit_ports()) SetPortDefaults(port);

  const bool load_balancer = spec.type() == ServiceType::kLoadBalancer;
  const bool node_port = spec.type() == ServiceType::kNodePort;
  const bool cluster_ip = spec.type() == ServiceType::kClusterIP;
  const bool externally_accessible =
      load_balancer || node_port || (cluster_ip && !spec.external_ips().empty());
  if (externally_accessible && spec.external_traffic_policy().empty()) {
    spec.set_external_traffic_policy_static(ServiceExternalTrafficPolicy::kCluster);
  }
  if (!spec.has_internal_traffic_policy() && (load_balancer || node_port || cluster_ip)) {
    spec.set_internal_traffic_policy_static(ServiceInternalTrafficPolicy::kCluster);
  }
  if (!load_balancer) return;
  if (!spec.has_allocate_load_balancer_node_ports()) spec.set_allocate_load_balancer_node_ports(true);
  if (auto balancer =
          service.edit_status() ? service.edit_status().edit_load_balancer() : LoadBalancerStatusEditor()) {
    for (auto ingress : balancer.edit_ingress()) {
      if (!ingress.ip().empty() && !ingress.has_ip_mode()) ingress.set_ip_mode_static("VIP");
    }
  }
}

}  // namespace keelson::api::core

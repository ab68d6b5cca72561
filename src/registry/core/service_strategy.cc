#include <algorithm>
#include <set>
#include <string>

#include "api/validation/core/checks.h"
#include "api/validation/core/service.h"
#include "api/validation/ip.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::core::SameStrings;
using api::field::ErrorList;

bool NeedsClusterIp(ServiceSpecView spec) { return spec.type() != ServiceType::kExternalName; }
bool NeedsNodePorts(ServiceSpecView spec) {
  return spec.type() == ServiceType::kNodePort || spec.type() == ServiceType::kLoadBalancer;
}

void SetClusterIps(ServiceSpecEditor spec, std::string_view ip) {
  spec.clear_cluster_ips();
  spec.add_cluster_ips(ip);
}

void CopyClusterIps(ServiceSpecEditor to, ServiceSpecView from) {
  to.clear_cluster_ips();
  for (const api::Value& ip : from.cluster_ips()) to.add_cluster_ips(ip.string());
}

// clusterIP is the first of clusterIPs. An older client knows only the former: what it
// means for the latter is worked out here, and whatever contradicts fails validation.
void SyncClusterIps(ServiceSpecEditor now, ServiceSpecView was) {
  if (!was) {
    if (!now.cluster_ip().empty() && now.cluster_ips().empty()) SetClusterIps(now, now.cluster_ip());
    return;
  }
  const bool same_primary = now.cluster_ip() == was.cluster_ip();
  if (!was.cluster_ips().empty() && now.cluster_ips().empty() && same_primary) CopyClusterIps(now, was);
  if (same_primary || !SameStrings(now.cluster_ips(), was.cluster_ips())) return;
  if (now.cluster_ip().empty()) {
    now.clear_cluster_ips();
  } else {
    SetClusterIps(now, now.cluster_ip());
  }
}

std::set<int32_t> NodePortsOf(ServiceSpecView spec) {
  std::set<int32_t> ports;
  for (auto port : spec.ports())
    if (port.node_port() != 0) ports.insert(port.node_port());
  return ports;
}

// A client that sends again what it sent first has not seen what was allocated to it.
void KeepAllocated(ServiceSpecEditor now, ServiceSpecView was) {
  if (NeedsClusterIp(was) && NeedsClusterIp(now)) {
    if (now.cluster_ip().empty()) now.set_cluster_ip(was.cluster_ip());
    if (now.cluster_ips().empty()) CopyClusterIps(now, was);
  }
  if (NeedsNodePorts(was) && NeedsNodePorts(now)) {
    const std::set<int32_t> taken = NodePortsOf(now);
    for (auto port : now.edit_ports()) {
      if (port.node_port() != 0) continue;
      for (auto old : was.ports()) {
        if (old.name() == port.name() && !taken.contains(old.node_port()))
          port.set_node_port(old.node_port());
      }
    }
  }
  const bool both_check =
      was.type() == ServiceType::kLoadBalancer && now.type() == ServiceType::kLoadBalancer &&
      was.external_traffic_policy() == "Local" && now.external_traffic_policy() == "Local";
  if (both_check && now.health_check_node_port() == 0)
    now.set_health_check_node_port(was.health_check_node_port());
}

void DropClusterIp(ServiceSpecEditor now, ServiceSpecView was) {
  if (now.cluster_ip() == was.cluster_ip() && SameStrings(now.cluster_ips(), was.cluster_ips())) {
    now.clear_cluster_ip();
    now.clear_cluster_ips();
  }
  if (SameStrings(now.ip_families(), was.ip_families())) now.clear_ip_families();
  if (now.ip_family_policy() == was.ip_family_policy()) now.clear_ip_family_policy();
}

// A service that changes its type sheds what only the old type had, unless the client
// changed that too: then it fails validation.
void DropTypeDependentFields(ServiceEditor service, ServiceView before) {
  auto now = service.mutable_spec();
  const auto was = before.spec();
  if (NeedsClusterIp(was) && !NeedsClusterIp(now)) DropClusterIp(now, was);
  const auto ports = NodePortsOf(now), old_ports = NodePortsOf(was);
  if (NeedsNodePorts(was) && !NeedsNodePorts(now) && std::ranges::includes(old_ports, ports)) {
    for (auto port : now.edit_ports()) port.clear_node_port();
  }
  if (api::core::NeedsHealthCheck(before) && !api::core::NeedsHealthCheck(service) &&
      now.health_check_node_port() == was.health_check_node_port()) {
    now.clear_health_check_node_port();
  }
  const bool stops_balancing =
      was.type() == ServiceType::kLoadBalancer && now.type() != ServiceType::kLoadBalancer;
  if (stops_balancing && was.has_allocate_load_balancer_node_ports() &&
      was.allocate_load_balancer_node_ports() == now.allocate_load_balancer_node_ports()) {
    now.clear_allocate_load_balancer_node_ports();
  }
  if (stops_balancing && was.has_load_balancer_class() == now.has_load_balancer_class() &&
      was.load_balancer_class() == now.load_balancer_class()) {
    now.clear_load_balancer_class();
  }
  if (api::core::IsExternallyAccessible(before) && !api::core::IsExternallyAccessible(service) &&
      was.external_traffic_policy() == now.external_traffic_policy()) {
    now.clear_external_traffic_policy();
  }
  if (now.type() != ServiceType::kLoadBalancer && service.status())
    service.edit_status().clear_load_balancer();
}

class ServiceStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool AllowCreateOnUpdate() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsLabel(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    SyncClusterIps(ServiceEditor(doc).mutable_spec(), ServiceSpecView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateService(ServiceView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    ServiceEditor after(now);
    const ServiceView before(was);
    KeepAllocated(after.mutable_spec(), before.spec());
    SyncClusterIps(after.mutable_spec(), before.spec());
    DropTypeDependentFields(after, before);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateServiceUpdate(ServiceView(now), ServiceView(was));
  }
};

class ServiceStatusStrategy final : public ServiceStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateServiceStatusUpdate(ServiceView(now), ServiceView(was));
  }
};

}  // namespace

const Strategy& Services() {
  static const ServiceStrategy strategy;
  return strategy;
}

const Strategy& ServiceStatus() {
  static const ServiceStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core

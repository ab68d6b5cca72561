#include <algorithm>
#include <set>
#include <string>

#include "api/validation/core/checks.h"
#include "api/validation/core/service.h"
#include "api/validation/ip.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/service_fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::core::SameStrings;
using api::field::ErrorList;

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
  if (MayHaveNodePorts(was) && !MayHaveNodePorts(now) && std::ranges::includes(old_ports, ports)) {
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
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { ClearField(doc, "status"); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateService(ServiceView(doc));
  }
  // It means nothing to a name outside of the cluster; upstream hides it there.
  void Canonicalize(api::Doc& doc) const override {
    auto spec = ServiceEditor(doc).mutable_spec();
    if (spec.type() == ServiceType::kExternalName) spec.clear_internal_traffic_policy();
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::WarningsForService(ServiceView(doc));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::core::WarningsForService(ServiceView(now));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    DropTypeDependentFields(ServiceEditor(now), ServiceView(was));
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
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::core::WarningsForServiceStatus(ServiceView(now));
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

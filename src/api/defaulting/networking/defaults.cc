#include "api/defaulting/networking/defaults.h"

#include "api/generated/networking_v1.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;

void SetPortDefaults(EditList<NetworkPolicyPortEditor> ports) {
  for (auto port : ports)
    if (!port.has_protocol()) port.set_protocol_static(core_v1::Protocol::kTCP);
}

void SetNetworkPolicyDefaults(Doc& doc) {
  auto spec = NetworkPolicyEditor(doc).mutable_spec();
  for (auto rule : spec.edit_ingress()) SetPortDefaults(rule.edit_ports());
  for (auto rule : spec.edit_egress()) SetPortDefaults(rule.edit_ports());
  if (!spec.policy_types().empty()) return;
  // Every policy is about what comes in; one with rules for what goes out is about that too.
  spec.add_policy_types(PolicyType::kIngress);
  if (!spec.egress().empty()) spec.add_policy_types(PolicyType::kEgress);
}

void SetIngressClassDefaults(Doc& doc) {
  auto spec = IngressClassEditor(doc).edit_spec();
  if (!spec) return;
  auto parameters = spec.edit_parameters();
  if (parameters && !parameters.has_scope()) parameters.set_scope_static("Cluster");
}

constexpr DefaultsEntry kDefaults[] = {
    {&kNetworkPolicyType, SetNetworkPolicyDefaults},
    {&kIngressClassType, SetIngressClassDefaults},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::networking

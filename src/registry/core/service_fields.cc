#include "registry/core/service_fields.h"

#include <map>
#include <set>
#include <string>

#include "api/validation/core/checks.h"
#include "api/validation/core/service.h"
#include "api/validation/core/service_addresses.h"
#include "api/validation/ip.h"
#include "api/validation/render.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::core::SameStrings;
using api::field::ErrorList;
using api::field::Path;
using api::field::RenderValue;

constexpr std::string_view kNone = "None";

bool WantsNodePorts(ServiceSpecView spec) {
  if (spec.type() == ServiceType::kNodePort) return true;
  return spec.type() == ServiceType::kLoadBalancer &&
         (!spec.has_allocate_load_balancer_node_ports() || spec.allocate_load_balancer_node_ports());
}

bool IsSelectorlessHeadless(ServiceSpecView spec) {
  return spec.cluster_ip() == kNone && spec.selector().empty();
}

void SetClusterIps(ServiceSpecEditor spec, std::string_view ip) {
  const std::string copy(ip);  // it may live in what is cleared
  spec.clear_cluster_ips();
  spec.add_cluster_ips(copy);
}

void CopyClusterIps(ServiceSpecEditor to, ServiceSpecView from) {
  to.clear_cluster_ips();
  for (const api::Value& ip : from.cluster_ips()) to.add_cluster_ips(ip.string());
}

void KeepNodePorts(ServiceSpecEditor now, ServiceSpecView was) {
  const std::set<int32_t> taken = NodePortsOf(now);
  std::map<std::string_view, int32_t> free;  // by name
  for (const auto old : was.ports())
    if (!taken.contains(old.node_port())) free[old.name()] = old.node_port();
  for (auto port : now.edit_ports()) {
    if (port.node_port() != 0) continue;
    if (const auto kept = free.find(port.name()); kept != free.end()) port.set_node_port(kept->second);
  }
}

std::string_view Other(std::string_view family) { return family == "IPv4" ? "IPv6" : "IPv4"; }

void KeepFirst(api::ListNode& list) {
  while (list.size > 1) list.Erase(list.size - 1);
}

std::string RenderPolicy(ServiceSpecView spec) { return RenderValue(spec.ip_family_policy()); }

void SetPolicy(ServiceSpecEditor spec, ServiceSpecView was) {
  if (spec.has_ip_family_policy()) return;
  if (was.has_ip_family_policy()) {
    spec.set_ip_family_policy(was.ip_family_policy());
  } else if (IsSelectorlessHeadless(spec)) {
    spec.set_ip_family_policy_static(IPFamilyPolicy::kRequireDualStack);
  } else {
    spec.set_ip_family_policy_static(IPFamilyPolicy::kSingleStack);
  }
}

// A single stack is what the client says by the policy alone; to give up an address
// without saying so is a mistake.
void DropOrRefuseSecondary(ServiceSpecEditor spec, ServiceSpecView was, const Path& policy,
                           ErrorList& errors) {
  if (spec.ip_family_policy() == IPFamilyPolicy::kSingleStack) {
    if (SameStrings(spec.cluster_ips(), was.cluster_ips()) && spec.cluster_ips().size() > 1)
      KeepFirst(spec.mutable_cluster_ips());
    if (SameStrings(spec.ip_families(), was.ip_families()) && spec.ip_families().size() > 1)
      KeepFirst(spec.mutable_ip_families());
    return;
  }
  const auto reduced = [](api::ScalarList now, api::ScalarList before) {
    return !now.empty() && now.size() < before.size();
  };
  if (reduced(spec.cluster_ips(), was.cluster_ips())) {
    errors.Add(api::field::Invalid(policy, RenderPolicy(spec),
                                   "must be 'SingleStack' to release the secondary cluster IP"));
  }
  if (reduced(spec.ip_families(), was.ip_families())) {
    errors.Add(api::field::Invalid(policy, RenderPolicy(spec),
                                   "must be 'SingleStack' to release the secondary IP family"));
  }
}

void CheckSingleStack(ServiceSpecView spec, const Path& policy, ErrorList& errors) {
  if (spec.ip_family_policy() != IPFamilyPolicy::kSingleStack) return;
  const auto refuse = [&](size_t count, const std::string& what) {
    if (count != 2) return;
    errors.Add(api::field::Invalid(
        policy, RenderPolicy(spec),
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple " + what + " are specified"));
  };
  refuse(spec.cluster_ips().size(), "cluster IPs");
  refuse(spec.ip_families().size(), "IP families");
}

void InferFamilies(ServiceSpecEditor spec, const IpFamilies& families, const Path& path, ErrorList& errors) {
  const Path ips = path.Child("clusterIPs");
  for (size_t i = 0; i < spec.cluster_ips().size(); ++i) {
    const std::string_view ip = spec.cluster_ips()[i].string();
    if (ip == kNone) return;
    if (i < spec.ip_families().size()) continue;
    if (const std::string_view family = FamilyOf(ip); families.Has(family)) {
      spec.add_ip_families(family);
    } else {
      errors.Add(api::field::Invalid(ips.Index(i), api::field::RenderField(spec.node(), "clusterIPs"),
                                     std::string(family) + " is not configured on this cluster"));
    }
  }
}

void CheckConfigured(ServiceSpecView spec, const IpFamilies& families, const Path& path, ErrorList& errors) {
  if (spec.ip_family_policy() == IPFamilyPolicy::kRequireDualStack && !families.dual) {
    errors.Add(api::field::Invalid(path.Child("ipFamilyPolicy"), RenderPolicy(spec),
                                   "this cluster is not configured for dual-stack services"));
  }
  const Path list = path.Child("ipFamilies");
  size_t i = 0;
  for (const api::Value& family : spec.ip_families()) {
    const Path at = list.Index(i++);
    if (!families.Has(family.string()))
      errors.Add(api::field::Invalid(at, RenderValue(family.string()), "not configured on this cluster"));
  }
}

// The cluster's family, and the other one when the service wants both.
void CompleteFamilies(ServiceSpecEditor spec, const IpFamilies& families, bool both_possible) {
  if (spec.ip_families().empty()) spec.add_ip_families(families.Primary());
  const bool wants_both = spec.ip_family_policy() != IPFamilyPolicy::kSingleStack;
  if (wants_both && both_possible && spec.ip_families().size() == 1)
    spec.add_ip_families(Other(spec.ip_families()[0].string()));
}

api::Status InvalidService(ServiceView service, const ErrorList& errors) {
  return api::Invalid({"", "Service"}, service.metadata().name(), errors);
}

}  // namespace

bool NeedsClusterIp(ServiceSpecView spec) { return spec.type() != ServiceType::kExternalName; }

bool MayHaveNodePorts(ServiceSpecView spec) {
  return spec.type() == ServiceType::kNodePort || spec.type() == ServiceType::kLoadBalancer;
}

std::set<int32_t> NodePortsOf(ServiceSpecView spec) {
  std::set<int32_t> ports;
  for (const auto port : spec.ports())
    if (port.node_port() != 0) ports.insert(port.node_port());
  return ports;
}

std::string_view FamilyOf(std::string_view ip) {
  const auto address = api::ParseIp(ip);
  return address && !address->is_v4() ? "IPv6" : "IPv4";
}

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

void KeepAllocated(ServiceSpecEditor now, ServiceSpecView was) {
  if (NeedsClusterIp(was) && NeedsClusterIp(now)) {
    if (now.cluster_ip().empty()) now.set_cluster_ip(was.cluster_ip());
    if (now.cluster_ips().empty() && !was.cluster_ips().empty()) CopyClusterIps(now, was);
  }
  if (WantsNodePorts(was) && WantsNodePorts(now)) KeepNodePorts(now, was);
  const bool both_check =
      was.type() == ServiceType::kLoadBalancer && now.type() == ServiceType::kLoadBalancer &&
      was.external_traffic_policy() == "Local" && now.external_traffic_policy() == "Local";
  if (both_check && now.health_check_node_port() == 0)
    now.set_health_check_node_port(was.health_check_node_port());
}

void FillMissingFamilies(ServiceSpecEditor spec, const IpFamilies& families) {
  if (!NeedsClusterIp(spec) || !spec.ip_families().empty()) return;
  if (spec.cluster_ip() != kNone) {
    for (size_t i = 0; i < spec.cluster_ips().size(); ++i)
      spec.add_ip_families(FamilyOf(spec.cluster_ips()[i].string()));
  } else {
    spec.add_ip_families(families.Primary());
    if (spec.selector().empty()) spec.add_ip_families(Other(families.Primary()));
  }
  if (spec.ip_families().size() == 1) spec.set_ip_family_policy_static(IPFamilyPolicy::kSingleStack);
  if (spec.ip_families().size() == 2) spec.set_ip_family_policy_static(IPFamilyPolicy::kRequireDualStack);
}

bool KeepsPreferredFamilies(ServiceSpecView now, ServiceSpecView was) {
  const auto prefers = [](ServiceSpecView spec) {
    return !spec.has_ip_family_policy() || spec.ip_family_policy() == IPFamilyPolicy::kPreferDualStack;
  };
  return was && now.has_ip_family_policy() && now.type() == was.type() && NeedsClusterIp(now) &&
         prefers(now) && prefers(was) && SameStrings(now.cluster_ips(), was.cluster_ips()) &&
         SameStrings(now.ip_families(), was.ip_families());
}

rest::Result<void> InitIpFamilies(ServiceEditor now, ServiceView was, const IpFamilies& families) {
  auto spec = now.mutable_spec();
  if (!NeedsClusterIp(spec) || KeepsPreferredFamilies(spec, was.spec())) return {};
  SetPolicy(spec, was.spec());

  const Path path("spec"), policy = path.Child("ipFamilyPolicy");
  ErrorList errors;
  api::core::CheckClusterIps(now, was, path, errors);
  if (!errors.empty()) return base::Err(InvalidService(now, errors));

  if (was) DropOrRefuseSecondary(spec, was.spec(), policy, errors);
  CheckSingleStack(spec, policy, errors);
  InferFamilies(spec, families, path, errors);
  if (!errors.empty()) return base::Err(InvalidService(now, errors));

  // Whoever writes the endpoints of such a service decides what families they are of.
  if (IsSelectorlessHeadless(spec)) {
    CompleteFamilies(spec, families, true);
    return {};
  }
  CheckConfigured(spec, families, path, errors);
  if (!errors.empty()) return base::Err(InvalidService(now, errors));
  CompleteFamilies(spec, families, families.dual);
  return {};
}

}  // namespace keelson::registry::core

#include "api/validation/networking/network_policy.h"

#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/ip.h"
#include "api/validation/label_selector.h"
#include "api/validation/render.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

struct PolicyOptions {
  LabelSelectorOptions selectors;
  std::set<std::string_view> known_cidrs;  // of the stored policy: accepted as they are
};

// Calls `visit(block, path)` for every ipBlock of the policy.
template <class Visit>
void ForEachBlock(NetworkPolicySpecView spec, Visit visit) {
  const Path path("spec"), ingress = path.Child("ingress"), egress = path.Child("egress");
  const auto visit_peers = [&](ListView<NetworkPolicyPeerView> peers, const Path& at) {
    size_t i = 0;
    for (const auto peer : peers) {
      const Path peer_path = at.Index(i++);
      if (peer.ip_block()) visit(peer.ip_block(), peer_path.Child("ipBlock"));
    }
  };
  size_t i = 0;
  for (const auto rule : spec.ingress()) {
    const Path at = ingress.Index(i++);
    visit_peers(rule.from(), at.Child("from"));
  }
  i = 0;
  for (const auto rule : spec.egress()) {
    const Path at = egress.Index(i++);
    visit_peers(rule.to(), at.Child("to"));
  }
}

void CheckPort(NetworkPolicyPortView port, const Path& path, ErrorList& errors) {
  constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
  if (port.has_protocol()) core::CheckSupported(port.protocol(), kProtocols, path.Child("protocol"), errors);
  const Path end = path.Child("endPort");
  const auto refuse_end = [&](std::string_view why) {
    if (port.has_end_port()) errors.Add(field::Invalid(end, RenderValue(port.end_port()), why));
  };
  const Value& number = port.port();
  if (number.absent()) return refuse_end("may not be specified when `port` is not specified");
  if (number.is(Value::Tag::kString)) {
    refuse_end("may not be specified when `port` is non-numeric");
    errors.AddInvalid(path.Child("port"), number.string(), IsPortName(number.string()));
    return;
  }
  core::CheckPortNumber(number.integer(), path.Child("port"), errors);
  if (!port.has_end_port()) return;
  if (port.end_port() < number.integer()) {
    errors.Add(field::Invalid(end, RenderValue(number.integer()), "must be greater than or equal to `port`"));
  }
  core::CheckPortNumber(port.end_port(), end, errors);
}

void CheckCidr(std::string_view cidr, const PolicyOptions& options, const Path& path, ErrorList& errors) {
  if (!options.known_cidrs.contains(cidr)) errors.Append(ValidateCidr(path, cidr));
}

void CheckBlock(IPBlockView block, const PolicyOptions& options, const Path& path, ErrorList& errors) {
  if (block.cidr().empty()) return errors.Add(field::Required(path.Child("cidr"), ""));
  CheckCidr(block.cidr(), options, path.Child("cidr"), errors);
  const auto outer = ParseCidr(block.cidr());
  if (!outer) return;
  const Path excepts = path.Child("except");
  size_t i = 0;
  for (const Value& except : block.except()) {
    const Path at = excepts.Index(i++);
    CheckCidr(except.string(), options, at, errors);
    const auto inner = ParseCidr(except.string());
    if (!inner) continue;
    if (outer->Contains(inner->network()) && outer->prefix_length < inner->prefix_length) continue;
    errors.Add(field::Invalid(at, RenderValue(except.string()), "must be a strict subset of `cidr`"));
  }
}

void CheckPeer(NetworkPolicyPeerView peer, const PolicyOptions& options, const Path& path,
               ErrorList& errors) {
  const auto check_selector = [&](meta_v1::LabelSelectorView selector, std::string_view name) {
    if (selector) errors.Append(ValidateLabelSelector(selector, path.Child(name), options.selectors));
    return selector ? 1 : 0;
  };
  int peers = check_selector(peer.pod_selector(), "podSelector");
  peers += check_selector(peer.namespace_selector(), "namespaceSelector");
  if (peer.ip_block()) {
    ++peers;
    CheckBlock(peer.ip_block(), options, path.Child("ipBlock"), errors);
  }
  if (peers == 0) {
    errors.Add(field::Required(path, "must specify a peer"));
  } else if (peers > 1 && peer.ip_block()) {
    errors.Add(field::Forbidden(path, "may not specify both ipBlock and another peer"));
  }
}

void CheckRule(ListView<NetworkPolicyPortView> ports, ListView<NetworkPolicyPeerView> peers,
               const PolicyOptions& options, const Path& ports_path, const Path& peers_path,
               ErrorList& errors) {
  size_t i = 0;
  for (const auto port : ports) CheckPort(port, ports_path.Index(i++), errors);
  i = 0;
  for (const auto peer : peers) CheckPeer(peer, options, peers_path.Index(i++), errors);
}

void CheckPolicyTypes(NetworkPolicySpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {PolicyType::kIngress, PolicyType::kEgress};
  if (spec.policy_types().size() > std::size(kTypes)) {
    return errors.Add(field::Invalid(path, field::RenderField(spec.node(), "policyTypes"),
                                     "may not specify more than two policyTypes"));
  }
  size_t i = 0;
  for (const Value& type : spec.policy_types())
    core::CheckSupported(type.string(), kTypes, path.Index(i++), errors);
}

ErrorList CheckSpec(NetworkPolicySpecView spec, const PolicyOptions& options) {
  const Path path("spec"), ingress = path.Child("ingress"), egress = path.Child("egress");
  ErrorList errors = ValidateLabelSelector(spec.pod_selector(), path.Child("podSelector"), options.selectors);
  size_t i = 0;
  for (const auto rule : spec.ingress()) {
    const Path at = ingress.Index(i++);
    CheckRule(rule.ports(), rule.from(), options, at.Child("ports"), at.Child("from"), errors);
  }
  i = 0;
  for (const auto rule : spec.egress()) {
    const Path at = egress.Index(i++);
    CheckRule(rule.ports(), rule.to(), options, at.Child("ports"), at.Child("to"), errors);
  }
  CheckPolicyTypes(spec, path.Child("policyTypes"), errors);
  return errors;
}

}  // namespace

ErrorList ValidateNetworkPolicy(NetworkPolicyView policy) { return CheckSpec(policy.spec(), {}); }

ErrorList ValidateNetworkPolicyUpdate(NetworkPolicyView now, NetworkPolicyView was) {
  PolicyOptions options;
  options.selectors.allow_invalid_values =
      !ValidateLabelSelector(was.spec().pod_selector(), Path("podSelector")).empty();
  ForEachBlock(was.spec(), [&](IPBlockView block, const Path&) {
    options.known_cidrs.insert(block.cidr());
    for (const Value& except : block.except()) options.known_cidrs.insert(except.string());
  });
  return CheckSpec(now.spec(), options);
}

std::vector<std::string> WarningsForNetworkPolicy(NetworkPolicyView policy) {
  std::vector<std::string> warnings;
  const auto add = [&](const Path& path, std::string_view cidr) {
    for (std::string& warning : WarningsForCidr(path, cidr)) warnings.push_back(std::move(warning));
  };
  ForEachBlock(policy.spec(), [&](IPBlockView block, const Path& path) {
    add(path.Child("cidr"), block.cidr());
    const Path excepts = path.Child("except");
    size_t i = 0;
    for (const Value& except : block.except()) add(excepts.Index(i++), except.string());
  });
  return warnings;
}

}  // namespace keelson::api::networking

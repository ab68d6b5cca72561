#include "endpoints/table/networking/rows.h"

#include <set>
#include <string>
#include <vector>

#include "api/generated/networking_v1.h"
#include "api/validation/label_selector_match.h"

namespace keelson::endpoints::table::networking {
namespace {

using namespace api::networking_v1;  // NOLINT: the views of this file's kinds

std::string Hosts(api::ListView<IngressRuleView> rules) {
  constexpr size_t kShown = 3;
  std::vector<std::string_view> hosts;
  bool more = false;
  for (const auto rule : rules) {
    more |= hosts.size() == kShown;
    if (!more && !rule.host().empty()) hosts.push_back(rule.host());
  }
  if (hosts.empty()) return "*";
  std::string text = Join(hosts);
  if (more) text += " + " + std::to_string(rules.size() - kShown) + " more...";
  return text;
}

std::string Addresses(IngressLoadBalancerStatusView balancer) {
  std::set<std::string_view> addresses;
  for (const auto ingress : balancer.ingress()) {
    const std::string_view address = ingress.ip().empty() ? ingress.hostname() : ingress.ip();
    if (!address.empty()) addresses.insert(address);
  }
  return Join({addresses.begin(), addresses.end()});
}

void IngressRow(const api::StructNode& object, Cells& cells) {
  const IngressView ingress(&object);
  const auto spec = ingress.spec();
  cells.Text(ingress.metadata().name());
  cells.Text(spec.has_ingress_class_name() ? spec.ingress_class_name() : kNone);
  cells.Text(Hosts(spec.rules()));
  cells.Text(Addresses(ingress.status().load_balancer()));
  cells.Text(spec.tls().empty() ? "80" : "80, 443");
  cells.Age(ingress.metadata().creation_timestamp());
}

void IngressClassRow(const api::StructNode& object, Cells& cells) {
  const IngressClassView c(&object);
  std::string name(c.metadata().name());
  const api::Value* is_default =
      c.metadata().annotations().Find("ingressclass.kubernetes.io/is-default-class");
  if (is_default && is_default->string() == "true") name += " (default)";
  std::string parameters(kNone);
  if (const auto reference = c.spec().parameters()) {
    parameters = reference.kind();
    if (reference.has_api_group()) parameters.append(".").append(reference.api_group());
    parameters.append("/").append(reference.name());
  }
  cells.Text(name);
  cells.Text(c.spec().controller());
  cells.Text(parameters);
  cells.Age(c.metadata().creation_timestamp());
}

void NetworkPolicyRow(const api::StructNode& object, Cells& cells) {
  const NetworkPolicyView policy(&object);
  const auto selector = policy.spec().pod_selector();
  cells.Text(policy.metadata().name());
  cells.TextOr(api::IsUsableSelector(selector) ? api::SelectorText(selector) : "<error>", kNone);
  cells.Age(policy.metadata().creation_timestamp());
}

void ServiceCidrRow(const api::StructNode& object, Cells& cells) {
  const ServiceCIDRView cidr(&object);
  std::vector<std::string_view> cidrs;
  for (const api::Value& c : cidr.spec().cidrs()) cidrs.push_back(c.string());
  cells.Text(cidr.metadata().name());
  cells.Text(Join(cidrs));
  cells.Age(cidr.metadata().creation_timestamp());
}

void IpAddressRow(const api::StructNode& object, Cells& cells) {
  const IPAddressView address(&object);
  std::string owner(kNone);
  if (const auto parent = address.spec().parent_ref()) {
    owner = parent.resource();
    if (!parent.group().empty()) owner.append(".").append(parent.group());
    for (char& c : owner)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!parent.namespace_().empty()) owner.append("/").append(parent.namespace_());
    owner.append("/").append(parent.name());
  }
  cells.Text(address.metadata().name());
  cells.Text(owner);
  // A cell without a column, as clients get it from upstream.
  cells.Age(address.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {
    {"Ingress", IngressRow},         {"IngressClass", IngressClassRow}, {"NetworkPolicy", NetworkPolicyRow},
    {"ServiceCIDR", ServiceCidrRow}, {"IPAddress", IpAddressRow},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::networking

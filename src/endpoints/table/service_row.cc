#include <algorithm>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "endpoints/table/core_rows.h"

namespace keelson::endpoints::table {
namespace {

using api::core_v1::EndpointsView;
using api::core_v1::ServiceView;

std::string ExternalAddresses(const ServiceView& service) {
  std::vector<std::string_view> addresses;
  const std::string_view type = service.spec().type();
  if (type == "ExternalName") return std::string(service.spec().external_name());
  if (type == "LoadBalancer") {
    for (const auto ingress : service.status().load_balancer().ingress())
      addresses.push_back(ingress.ip().empty() ? ingress.hostname() : ingress.ip());
    std::ranges::sort(addresses);
    addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
  } else if (type != "ClusterIP" && type != "NodePort") {
    return "<unknown>";
  }
  for (const auto& address : service.spec().external_ips()) addresses.push_back(address.string());
  if (addresses.empty()) return type == "LoadBalancer" ? "<pending>" : std::string(kNone);
  return Join(addresses);
}

std::string Ports(const ServiceView& service) {
  std::string text;
  for (const auto port : service.spec().ports()) {
    if (!text.empty()) text += ',';
    text += std::to_string(port.port());
    if (port.node_port() > 0) text += ":" + std::to_string(port.node_port());
    text.append("/").append(port.protocol());
  }
  return text;
}

// The first addresses, and how many more there are.
std::string Addresses(const EndpointsView& endpoints) {
  constexpr size_t kShown = 3;
  std::string text;
  size_t count = 0;
  auto add = [&](std::string address) {
    if (++count > kShown) return;
    if (!text.empty()) text += ',';
    text += address;
  };
  for (const auto subset : endpoints.subsets()) {
    if (subset.ports().empty()) {
      for (const auto address : subset.addresses()) add(std::string(address.ip()));
    }
    for (const auto port : subset.ports()) {
      for (const auto address : subset.addresses()) {
        const std::string ip(address.ip());
        const std::string host = ip.find(':') == std::string::npos ? ip : "[" + ip + "]";
        add(host + ":" + std::to_string(port.port()));
      }
    }
  }
  if (endpoints.subsets().empty()) return std::string(kNone);
  if (count > kShown) text += " + " + std::to_string(count - kShown) + " more...";
  return text;
}

}  // namespace

void ServiceRow(const api::StructNode& object, Cells& cells) {
  const ServiceView service(&object);
  const auto ips = service.spec().cluster_ips();
  cells.Text(service.metadata().name());
  cells.Text(service.spec().type());
  cells.TextOr(ips.empty() ? std::string_view() : ips[0].string(), kNone);
  cells.Text(ExternalAddresses(service));
  cells.TextOr(Ports(service), kNone);
  cells.Age(service.metadata().creation_timestamp());
  cells.Labels(service.spec().selector());
}

void EndpointsRow(const api::StructNode& object, Cells& cells) {
  const EndpointsView endpoints(&object);
  cells.Text(endpoints.metadata().name());
  cells.Text(Addresses(endpoints));
  cells.Age(endpoints.metadata().creation_timestamp());
}

}  // namespace keelson::endpoints::table

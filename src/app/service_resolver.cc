#include "app/service_resolver.h"

#include <optional>
#include <random>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/generated/discovery_v1.h"
#include "api/meta/labels.h"
#include "api/validation/quote.h"

namespace keelson::app {
namespace {

using api::core_v1::ServiceView;
using api::discovery_v1::EndpointSliceView;
using Resolved = base::Result<ServiceAddress, std::string>;

// The name of the service's port; nullopt: it has no such port.
std::optional<std::string> PortName(ServiceView service, uint16_t port) {
  for (const auto declared : service.spec().ports())
    if (declared.port() == port) return std::string(declared.name());
  return std::nullopt;
}

bool IsOf(EndpointSliceView slice, std::string_view service) {
  const api::Value* const of = slice.metadata().labels().Find(api::kServiceNameLabel);
  return of && of->string() == service;
}

// Adds the ready ones that have the port.
void AddReady(EndpointSliceView slice, std::string_view port_name, std::vector<ServiceAddress>& to) {
  for (const auto port : slice.ports()) {
    if (port.name() != port_name || !port.has_port()) continue;
    for (const auto endpoint : slice.endpoints()) {
      const bool ready = !endpoint.conditions().has_ready() || endpoint.conditions().ready();
      if (ready && !endpoint.addresses().empty())
        to.push_back(
            {std::string((*endpoint.addresses().begin()).string()), static_cast<uint16_t>(port.port())});
    }
  }
}

base::Task<Resolved> ResolveEndpoint(const client::Client& objects, ServicePort service,
                                     std::string port_name, std::string family) {
  const auto slices = co_await objects.List({"discovery.k8s.io", "endpointslices"}, service.ns);
  if (!slices) co_return base::Err(slices.error().message);
  // Those of the service's first family, or any.
  std::vector<ServiceAddress> preferred, others;
  for (const api::Doc& doc : **slices) {
    const EndpointSliceView slice(doc);
    if (IsOf(slice, service.name))
      AddReady(slice, port_name, slice.address_type() == family ? preferred : others);
  }
  const auto& from = preferred.empty() ? others : preferred;
  if (from.empty()) co_return base::Err("no endpoints available for service " + api::Quoted(service.name));
  thread_local std::mt19937_64 engine{std::random_device{}()};
  co_return from[std::uniform_int_distribution<size_t>(0, from.size() - 1)(engine)];
}

}  // namespace

base::Task<Resolved> ResolveService(const client::Client& objects, ServicePort service) {
  const auto found =
      co_await objects.Get({"", "services"}, service.ns, service.name, client::Fresh::kAbsenceIsSure);
  if (!found) co_return base::Err(found.error().message);
  if (!*found) co_return base::Err("service " + api::Quoted(service.name) + " not found");
  const ServiceView view(**found);
  const std::string_view type = view.spec().type();
  if (type == "ExternalName" && !service.to_endpoints)
    co_return ServiceAddress{std::string(view.spec().external_name()), service.port};
  if (type != "ClusterIP" && type != "LoadBalancer" && type != "NodePort")
    co_return base::Err("unsupported service type " + api::Quoted(type));
  if (!service.to_endpoints && type == "ClusterIP" && view.spec().cluster_ip() == "None")
    co_return base::Err(std::string("cannot route to service with ClusterIP \"None\""));
  auto port_name = PortName(view, service.port);
  if (!port_name)
    co_return base::Err("no service port " + std::to_string(service.port) + " found for service " +
                        api::Quoted(service.name));
  if (!service.to_endpoints) co_return ServiceAddress{std::string(view.spec().cluster_ip()), service.port};
  std::string family;
  for (const api::Value& first : view.spec().ip_families()) {
    family = first.string();
    break;
  }
  co_return co_await ResolveEndpoint(objects, std::move(service), *std::move(port_name), std::move(family));
}

}  // namespace keelson::app

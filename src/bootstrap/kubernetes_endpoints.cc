#include "bootstrap/kubernetes_endpoints.h"

#include <algorithm>

#include "api/generated/core_v1.h"
#include "api/generated/discovery_v1.h"
#include "api/meta/labels.h"

namespace keelson::bootstrap {
namespace {

using namespace api::core_v1;
using api::discovery_v1::EndpointSliceEditor;
using api::discovery_v1::EndpointSliceView;
using Addresses = std::vector<std::string>;

constexpr client::Resource kEndpoints{"", "endpoints"}, kSlices{"discovery.k8s.io", "endpointslices"};
constexpr std::string_view kSkipMirror = "endpointslice.kubernetes.io/skip-mirror";

bool IsV6(const std::string& address) { return address.find(':') != address.npos; }

// Servers at several addresses may have several ports; the only one knows its own.
bool SamePort(int32_t port, const Addresses& addresses, uint16_t own) {
  return addresses.size() != 1 || port == own;
}

bool AreEndpointsOf(EndpointsView endpoints, const Addresses& addresses, uint16_t port) {
  if (addresses.empty()) return endpoints.subsets().empty();
  if (endpoints.subsets().size() != 1) return false;
  const auto subset = endpoints.subsets()[0];
  if (subset.addresses().size() != addresses.size() || subset.ports().size() != 1) return false;
  for (size_t i = 0; i < addresses.size(); ++i)
    if (subset.addresses()[i].ip() != addresses[i]) return false;
  return SamePort(subset.ports()[0].port(), addresses, port);
}

void SetEndpoints(EndpointsEditor endpoints, const Addresses& addresses, uint16_t port) {
  endpoints.mutable_metadata().put_labels(kSkipMirror, "true");
  if (AreEndpointsOf(endpoints, addresses, port)) return;
  endpoints.clear_subsets();
  if (addresses.empty()) return;
  auto subset = endpoints.add_subsets();
  for (const std::string& address : addresses) subset.add_addresses().set_ip(address);
  auto https = subset.add_ports();
  https.set_name_static("https");
  https.set_port(port);
  https.set_protocol_static(Protocol::kTCP);
}

bool IsSliceOf(EndpointSliceView slice, const Addresses& addresses, uint16_t port) {
  if (slice.endpoints().size() != addresses.size()) return false;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto endpoint = slice.endpoints()[i];
    if (endpoint.addresses().size() != 1 || endpoint.addresses()[0].string() != addresses[i]) return false;
    if (!endpoint.conditions().ready()) return false;
  }
  if (addresses.empty()) return slice.ports().empty();
  return slice.ports().size() == 1 && SamePort(slice.ports()[0].port(), addresses, port);
}

void SetSlice(EndpointSliceEditor slice, const Addresses& addresses, uint16_t port) {
  slice.mutable_metadata().put_labels(api::kServiceNameLabel, kKubernetes);
  if (IsSliceOf(slice, addresses, port)) return;
  slice.clear_endpoints();
  slice.clear_ports();
  for (const std::string& address : addresses) {
    auto endpoint = slice.add_endpoints();
    endpoint.add_addresses(address);
    endpoint.mutable_conditions().set_ready(true);
  }
  if (addresses.empty()) return;
  auto https = slice.add_ports();
  https.set_name_static("https");
  https.set_port(port);
  https.set_protocol_static(Protocol::kTCP);
}

template <class Editor>
api::Doc MakeObject(const api::TypeDesc& type, std::string_view kind, std::string_view api_version) {
  api::Doc doc(type);
  Editor object(doc);
  object.set_kind_static(kind);
  object.set_api_version_static(api_version);
  object.mutable_metadata().set_name_static(kKubernetes);
  object.mutable_metadata().set_namespace("default");
  return doc;
}

// Creates the object `fresh`, or changes the one there is by `set`.
template <class Set>
base::Task<Done> EnsureSet(const client::Client& client, client::Resource resource, api::Doc fresh, Set set) {
  const auto found =
      co_await client.GetObject(resource, "default", std::string(kKubernetes), client::Fresh::kNewest);
  if (!found || !*found) {
    set(fresh);
    const auto created = co_await client.Create(resource, "default", std::move(fresh));
    if (!created && created.error().reason != "AlreadyExists") co_return base::Err(created.error().message);
    co_return Done();
  }
  const auto written =
      co_await client.Update(resource, "default", std::string(kKubernetes), [&set](api::Doc& doc) {
        set(doc);
        return true;
      });
  if (!written) co_return base::Err(written.error().message);
  co_return Done();
}

}  // namespace

base::Task<Done> EnsureKubernetesEndpoints(const client::Client& client, Addresses addresses, uint16_t port) {
  auto fresh = MakeObject<EndpointsEditor>(EndpointsView::Type(), "Endpoints", "v1");
  co_return co_await EnsureSet(client, kEndpoints, std::move(fresh),
                               [&](api::Doc& doc) { SetEndpoints(EndpointsEditor(doc), addresses, port); });
}

base::Task<Done> EnsureKubernetesSlice(const client::Client& client, Addresses addresses, uint16_t port) {
  // A slice is of one family: the newer one only when all servers have it.
  const bool v6 = !addresses.empty() && std::ranges::all_of(addresses, IsV6);
  std::erase_if(addresses, [&](const std::string& address) { return IsV6(address) != v6; });
  auto fresh =
      MakeObject<EndpointSliceEditor>(EndpointSliceView::Type(), "EndpointSlice", "discovery.k8s.io/v1");
  EndpointSliceEditor(fresh).set_address_type_static(v6 ? "IPv6" : "IPv4");
  co_return co_await EnsureSet(client, kSlices, std::move(fresh),
                               [&](api::Doc& doc) { SetSlice(EndpointSliceEditor(doc), addresses, port); });
}

}  // namespace keelson::bootstrap

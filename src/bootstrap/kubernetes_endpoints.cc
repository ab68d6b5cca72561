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

constexpr int kEndpointAttempts = 10;

// Creates the object `make` makes of the addresses, or changes the one there is by `set`.
template <class Make, class Set>
base::Task<Done> EnsureSet(const client::Client& client, client::Resource resource, ServerAddresses addresses,
                           Make make, Set set) {
  for (int attempt = 0; attempt < kEndpointAttempts; ++attempt) {
    auto found = co_await client.Get(resource, "default", std::string(kKubernetes), client::Fresh::kNewest);
    if (!found) co_return base::Err(found.error().message);
    const Addresses now = CO_TRY(co_await addresses());
    client::Result<client::Written> written;
    if (*found) {
      set(**found, now);
      written = co_await client.Replace(resource, *std::move(*found));
    } else {
      written = co_await client.Create(resource, "default", make(now));
    }
    if (written) co_return Done();
    // Another server was faster: created, changed or deleted.
    if (written.error().code != 409 && written.error().code != 404)
      co_return base::Err(written.error().message);
  }
  co_return base::Err("other servers change it all the time");
}

}  // namespace

base::Task<Done> EnsureKubernetesEndpoints(const client::Client& client, ServerAddresses addresses,
                                           uint16_t port) {
  const auto set = [port](api::Doc& doc, const Addresses& now) {
    SetEndpoints(EndpointsEditor(doc), now, port);
  };
  const auto make = [set](const Addresses& now) {
    auto fresh = MakeObject<EndpointsEditor>(EndpointsView::Type(), "Endpoints", "v1");
    set(fresh, now);
    return fresh;
  };
  co_return co_await EnsureSet(client, kEndpoints, std::move(addresses), make, set);
}

base::Task<Done> EnsureKubernetesSlice(const client::Client& client, ServerAddresses addresses,
                                       uint16_t port) {
  // A slice is of one family: the newer one only when all servers have it.
  const auto all_v6 = [](const Addresses& now) { return !now.empty() && std::ranges::all_of(now, IsV6); };
  const auto set = [port, all_v6](api::Doc& doc, Addresses now) {
    std::erase_if(now, [v6 = all_v6(now)](const std::string& address) { return IsV6(address) != v6; });
    SetSlice(EndpointSliceEditor(doc), now, port);
  };
  const auto make = [set, all_v6](const Addresses& now) {
    auto fresh =
        MakeObject<EndpointSliceEditor>(EndpointSliceView::Type(), "EndpointSlice", "discovery.k8s.io/v1");
    EndpointSliceEditor(fresh).set_address_type_static(all_v6(now) ? "IPv6" : "IPv4");
    set(fresh, now);
    return fresh;
  };
  co_return co_await EnsureSet(client, kSlices, std::move(addresses), make, set);
}

}  // namespace keelson::bootstrap

#include "bootstrap/kubernetes_service.h"

#include "api/generated/core_v1.h"
#include "bootstrap/kubernetes_endpoints.h"

namespace keelson::bootstrap {
namespace {

using namespace api::core_v1;

constexpr client::Resource kServices{"", "services"};

// The first address of the block after the network's own.
std::string FirstAddress(const api::Cidr& range) {
  api::IpAddress ip = range.network();
  ip.bytes.back() |= 1;
  return ip.ToString();
}

api::Doc MakeService(const api::Cidr& range, uint16_t port) {
  api::Doc doc(ServiceView::Type());
  ServiceEditor service(doc);
  service.set_kind_static("Service");
  service.set_api_version_static("v1");
  auto metadata = service.mutable_metadata();
  metadata.set_name_static(kKubernetes);
  metadata.set_namespace("default");
  metadata.put_labels("provider", "kubernetes");
  metadata.put_labels("component", "apiserver");
  auto spec = service.mutable_spec();
  spec.set_cluster_ip(FirstAddress(range));
  spec.set_ip_family_policy_static(IPFamilyPolicy::kSingleStack);
  spec.set_session_affinity_static(ServiceAffinity::kNone);
  spec.set_type_static(ServiceType::kClusterIP);
  auto https = spec.add_ports();
  https.set_name_static("https");
  https.set_protocol_static(Protocol::kTCP);
  https.set_port(443);
  https.set_target_port(api::Value::Int(port));
  return doc;
}

}  // namespace

base::Task<Done> KubernetesService::EnsureService() {
  return CreateIfAbsent(client_, kServices, MakeService(options_.range, options_.port));
}

base::Task<base::Result<std::vector<std::string>, std::string>> KubernetesService::Addresses() {
  auto addresses = CO_TRY(co_await leases_.Names());
  if (addresses.empty() && !withdrawn_)
    co_return base::Err("no server has a lease: the endpoints are left as they are");
  co_return addresses;
}

base::Task<Done> KubernetesService::EnsureEndpoints() {
  const auto addresses = [this] { return Addresses(); };
  CO_TRY(co_await EnsureKubernetesEndpoints(client_, addresses, options_.port));
  co_return co_await EnsureKubernetesSlice(client_, addresses, options_.port);
}

base::Task<Done> KubernetesService::Begin() {
  const auto turn = co_await turns_.Take();
  CO_TRY(co_await EnsureService());
  if (options_.address.empty()) co_return Done();
  if (!CO_TRY(co_await leases_.Remove(options_.address))) co_return Done();
  const auto others = CO_TRY(co_await leases_.Names());
  if (others.empty()) co_return Done();
  co_return co_await EnsureEndpoints();
}

base::Task<Done> KubernetesService::Announce() {
  const auto turn = co_await turns_.Take();
  if (withdrawn_) co_return Done();
  CO_TRY(co_await EnsureService());
  if (options_.address.empty()) co_return Done();
  CO_TRY(co_await leases_.Renew({.name = options_.address, .address = options_.address}));
  co_return co_await EnsureEndpoints();
}

base::Task<Done> KubernetesService::Withdraw() {
  withdrawn_ = true;
  const auto turn = co_await turns_.Take();
  if (options_.address.empty()) co_return Done();
  CO_TRY(co_await leases_.Remove(options_.address));
  co_return co_await EnsureEndpoints();
}

}  // namespace keelson::bootstrap

#include "app/kubernetes_service.h"

#include "api/generated/core_v1.h"
#include "app/server_user.h"

namespace keelson::app {
namespace {

using namespace api::core_v1;

constexpr std::string_view kName = "kubernetes";
constexpr int32_t kHttpsPort = 443;

api::Doc MakeService(std::string_view cluster_ip, uint16_t target_port) {
  api::Doc doc(ServiceView::Type());
  ServiceEditor service(doc);
  service.set_kind_static("Service");
  service.set_api_version_static("v1");
  auto metadata = service.mutable_metadata();
  metadata.set_name(kName);
  metadata.set_namespace_static("default");
  metadata.put_labels("provider", "kubernetes");
  metadata.put_labels("component", "apiserver");
  auto spec = service.mutable_spec();
  spec.set_type_static(ServiceType::kClusterIP);
  spec.set_session_affinity_static(ServiceAffinity::kNone);
  spec.set_cluster_ip(cluster_ip);
  spec.add_cluster_ips(cluster_ip);
  spec.add_ip_families(cluster_ip.find(':') == std::string_view::npos ? "IPv4" : "IPv6");
  spec.set_ip_family_policy_static(IPFamilyPolicy::kSingleStack);
  auto port = spec.add_ports();
  port.set_name("https");
  port.set_protocol_static(Protocol::kTCP);
  port.set_port(kHttpsPort);
  port.set_target_port(api::Value::Int(target_port));
  return doc;
}

}  // namespace

base::Task<base::Result<void, std::string>> EnsureKubernetesService(registry::Store& services,
                                                                    std::string_view cluster_ip,
                                                                    uint16_t port) {
  // Built before anything is awaited: the argument need not outlive the first suspension.
  api::Doc doc = MakeService(cluster_ip, port);
  auto lookup = services.Get("default", std::string(kName), {});
  const auto found = co_await std::move(lookup);
  if (found) co_return base::Result<void, std::string>();
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = "default"};
  auto creation = services.Create(std::move(request), std::move(doc));
  const auto created = co_await std::move(creation);
  if (!created && created.error().reason != "AlreadyExists")
    co_return base::Err("cannot create service default/kubernetes: " + created.error().message);
  co_return base::Result<void, std::string>();
}

}  // namespace keelson::app

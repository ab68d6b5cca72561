#include "registry/core/resources.h"

#include "api/generated/core_v1.h"
#include "registry/core/component_status.h"
#include "registry/core/pod_changes.h"
#include "registry/core/pod_connections.h"
#include "registry/core/pod_servings.h"
#include "registry/core/pod_store.h"
#include "registry/core/proxies.h"
#include "registry/core/service_account_token.h"
#include "registry/core/strategies.h"
#include "registry/namespace_store.h"
#include "registry/scale.h"

namespace keelson::registry::core {
namespace {

std::unique_ptr<Strategy> MakeEvents(const Dependencies& dependencies) {
  return Events(dependencies.event_ttl);
}

std::unique_ptr<Store> MakeNamespaceStore(StoreOptions options, const Dependencies&) {
  return std::make_unique<NamespaceStore>(std::move(options));
}

std::unique_ptr<Store> MakePodStore(StoreOptions options, const Dependencies&) {
  return std::make_unique<PodStore>(std::move(options));
}

Scaled ReadScale(const api::Doc& doc) {
  const api::core_v1::ReplicationControllerView controller(doc);
  Scaled scaled{controller.spec().replicas(), controller.status().replicas(), {}};
  for (const auto& [key, value] : controller.spec().selector())
    scaled.selector.append(scaled.selector.empty() ? "" : ",").append(key).append("=").append(value.string());
  return scaled;
}

void SetReplicas(api::Doc& doc, int32_t replicas) {
  api::core_v1::ReplicationControllerEditor(doc).mutable_spec().set_replicas(replicas);
}

std::unique_ptr<Serving> ServeControllerScale(ServingOptions options, const Dependencies& dependencies) {
  static constexpr ScaleRules kRules{
      {"", "replicationcontrollers"}, &api::core_v1::kReplicationControllerType, ReadScale, SetReplicas};
  return ServeScale(kRules, std::move(options), dependencies);
}

}  // namespace

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "namespaces",
       .strategy = Namespaces,
       .subresources = {{"status", NamespaceStatus}, {"finalize", NamespaceFinalize}},
       .returns_deleted_object = true,
       .make_store = MakeNamespaceStore},
      {.plural = "bindings", .serve = ServeBinding},
      {.plural = "componentstatuses", .serve = ServeComponentStatuses},
      {.plural = "configmaps", .strategy = ConfigMaps},
      {.plural = "endpoints", .strategy = Endpoints},
      {.plural = "events", .garbage_collected = false, .make_strategy = MakeEvents},
      {.plural = "limitranges", .strategy = LimitRanges},
      {.plural = "nodes",
       .strategy = Nodes,
       .subresources = {{"status", NodeStatus}, {.name = "proxy", .serve = ServeNodeProxy}}},
      {.plural = "persistentvolumeclaims",
       .strategy = PersistentVolumeClaims,
       .subresources = {{"status", PersistentVolumeClaimStatus}},
       .returns_deleted_object = true},
      {.plural = "persistentvolumes",
       .strategy = PersistentVolumes,
       .subresources = {{"status", PersistentVolumeStatus}},
       .returns_deleted_object = true},
      {.plural = "pods",
       .strategy = Pods,
       .subresources = {{"status", PodStatus},
                        {"ephemeralcontainers", PodEphemeralContainers},
                        {"resize", PodResize},
                        {.name = "binding", .serve = ServeBinding},
                        {.name = "eviction", .serve = ServeEviction},
                        {.name = "log", .serve = ServePodLog},
                        {.name = "exec", .serve = ServePodExec},
                        {.name = "attach", .serve = ServePodAttach},
                        {.name = "portforward", .serve = ServePodPortForward},
                        {.name = "proxy", .serve = ServePodProxy}},
       .returns_deleted_object = true,
       .make_store = MakePodStore},
      {.plural = "podtemplates", .strategy = PodTemplates, .returns_deleted_object = true},
      {.plural = "replicationcontrollers",
       .strategy = ReplicationControllers,
       .subresources = {{"status", ReplicationControllerStatus},
                        {.name = "scale", .serve = ServeControllerScale}}},
      {.plural = "resourcequotas",
       .strategy = ResourceQuotas,
       .subresources = {{"status", ResourceQuotaStatus}},
       .returns_deleted_object = true},
      {.plural = "secrets", .strategy = Secrets},
      {.plural = "serviceaccounts",
       .strategy = ServiceAccounts,
       .subresources = {{.name = "token", .serve = MakeTokenRequests}},
       .returns_deleted_object = true},
      {.plural = "services",
       .strategy = Services,
       .subresources = {{"status", ServiceStatus}, {.name = "proxy", .serve = ServeServiceProxy}},
       .returns_deleted_object = true,
       .reserver = &Dependencies::service_reserver},
  };
  return {"", rows};
}

}  // namespace keelson::registry::core

#include "registry/core/resources.h"

#include "registry/core/service_account_token.h"
#include "registry/core/strategies.h"
#include "registry/namespace_store.h"

namespace keelson::registry::core {
namespace {

std::unique_ptr<Strategy> MakeEvents(const Environment& environment) { return Events(environment.event_ttl); }

std::unique_ptr<Store> MakeNamespaceStore(StoreOptions options, const Environment&) {
  return std::make_unique<NamespaceStore>(std::move(options));
}

}  // namespace

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "namespaces",
       .strategy = Namespaces,
       .subresources = {{"status", NamespaceStatus}, {"finalize", NamespaceFinalize}},
       .returns_deleted_object = true,
       .make_store = MakeNamespaceStore},
      {.plural = "configmaps", .strategy = ConfigMaps},
      {.plural = "endpoints", .strategy = Endpoints},
      {.plural = "events", .garbage_collected = false, .make_strategy = MakeEvents},
      {.plural = "limitranges", .strategy = LimitRanges},
      {.plural = "nodes", .strategy = Nodes, .subresources = {{"status", NodeStatus}}},
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
       .subresources = {{"status", PodStatus}},
       .returns_deleted_object = true},
      {.plural = "podtemplates", .strategy = PodTemplates, .returns_deleted_object = true},
      {.plural = "replicationcontrollers",
       .strategy = ReplicationControllers,
       .subresources = {{"status", ReplicationControllerStatus}}},
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
       .subresources = {{"status", ServiceStatus}},
       .returns_deleted_object = true},
  };
  return {"", rows};
}

}  // namespace keelson::registry::core

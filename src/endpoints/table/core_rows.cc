#include "endpoints/table/core_rows.h"

#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "endpoints/table/template_cells.h"

namespace keelson::endpoints::table {
namespace {

using namespace api::core_v1;  // NOLINT: the views of this file's kinds

void NamespaceRow(const api::StructNode& object, Cells& cells) {
  const NamespaceView ns(&object);
  cells.Text(ns.metadata().name());
  cells.Text(ns.status().phase());
  cells.Age(ns.metadata().creation_timestamp());
}

void ConfigMapRow(const api::StructNode& object, Cells& cells) {
  const ConfigMapView map(&object);
  cells.Text(map.metadata().name());
  cells.Number(static_cast<int64_t>(map.data().size() + map.binary_data().size()));
  cells.Age(map.metadata().creation_timestamp());
}

void ComponentStatusRow(const api::StructNode& object, Cells& cells) {
  const ComponentStatusView component(&object);
  std::string_view status = "Unknown", message, error;
  for (const auto condition : component.conditions()) {
    if (condition.type() != "Healthy") continue;
    if (condition.status() != "Unknown") status = condition.status() == "True" ? "Healthy" : "Unhealthy";
    message = condition.message();
    error = condition.error();
    break;
  }
  cells.Text(component.metadata().name());
  cells.Text(status);
  cells.Text(message);
  cells.Text(error);
}

void SecretRow(const api::StructNode& object, Cells& cells) {
  const SecretView secret(&object);
  cells.Text(secret.metadata().name());
  cells.Text(secret.type());
  cells.Number(static_cast<int64_t>(secret.data().size()));
  cells.Age(secret.metadata().creation_timestamp());
}

void ServiceAccountRow(const api::StructNode& object, Cells& cells) {
  const ServiceAccountView account(&object);
  cells.Text(account.metadata().name());
  cells.Age(account.metadata().creation_timestamp());
}

void PodTemplateRow(const api::StructNode& object, Cells& cells) {
  const PodTemplateView pod(&object);
  cells.Text(pod.metadata().name());
  TemplateCells(pod.template_(), cells);
  cells.Labels(pod.template_().metadata().labels());
}

void ReplicationControllerRow(const api::StructNode& object, Cells& cells) {
  const ReplicationControllerView controller(&object);
  cells.Text(controller.metadata().name());
  cells.Number(controller.spec().replicas());
  cells.Number(controller.status().replicas());
  cells.Number(controller.status().ready_replicas());
  cells.Age(controller.metadata().creation_timestamp());
  TemplateCells(controller.spec().template_(), cells);
  cells.Labels(controller.spec().selector());
}

void ResourceQuotaRow(const api::StructNode& object, Cells& cells) {
  const ResourceQuotaView quota(&object);
  std::string requests, limits;
  for (const auto& [resource, hard] : quota.status().hard()) {
    std::string& column = resource.starts_with("limits.") ? limits : requests;
    const api::Value* used = quota.status().used().Find(resource);
    if (!column.empty()) column += ", ";
    column.append(resource)
        .append(": ")
        .append(used ? used->string() : "0")
        .append("/")
        .append(hard.string());
  }
  cells.Text(quota.metadata().name());
  cells.Text(requests);
  cells.Text(limits);
  cells.Age(quota.metadata().creation_timestamp());
}

}  // namespace

std::span<const KindRow> CoreRows() {
  static constexpr KindRow rows[] = {
      {"ComponentStatus", ComponentStatusRow},
      {"ConfigMap", ConfigMapRow},
      {"Endpoints", EndpointsRow},
      {"Event", EventRow},
      {"Namespace", NamespaceRow},
      {"Node", NodeRow},
      {"PersistentVolume", PersistentVolumeRow},
      {"PersistentVolumeClaim", PersistentVolumeClaimRow},
      {"Pod", PodRow},
      {"PodTemplate", PodTemplateRow},
      {"ReplicationController", ReplicationControllerRow},
      {"ResourceQuota", ResourceQuotaRow},
      {"Secret", SecretRow},
      {"Service", ServiceRow},
      {"ServiceAccount", ServiceAccountRow},
  };
  return rows;
}

}  // namespace keelson::endpoints::table

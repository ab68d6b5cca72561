#include "endpoints/table/apps/rows.h"

#include <algorithm>
#include <string>

#include "api/generated/apps_v1.h"
#include "api/validation/label_selector_match.h"
#include "endpoints/table/template_cells.h"

namespace keelson::endpoints::table::apps {
namespace {

using namespace api::apps_v1;  // NOLINT: the views of this file's kinds

std::string OutOf(int32_t ready, int32_t desired) {
  return std::to_string(ready) + "/" + std::to_string(desired);
}

// "deployment.apps/name" of the owner that controls the object, or <none>.
std::string ControllerOf(api::meta_v1::ObjectMetaView metadata) {
  for (auto owner : metadata.owner_references()) {
    if (!owner.controller()) continue;
    std::string kind(owner.kind());
    std::ranges::transform(kind, kind.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    const size_t slash = owner.api_version().find('/');
    if (slash != std::string_view::npos) kind.append(".").append(owner.api_version().substr(0, slash));
    return kind.append("/").append(owner.name());
  }
  return std::string(kNone);
}

void ControllerRevisionRow(const api::StructNode& object, Cells& cells) {
  const ControllerRevisionView revision(&object);
  cells.Text(revision.metadata().name());
  cells.Text(ControllerOf(revision.metadata()));
  cells.Number(revision.revision());
  cells.Age(revision.metadata().creation_timestamp());
}

void DaemonSetRow(const api::StructNode& object, Cells& cells) {
  const DaemonSetView set(&object);
  const auto status = set.status();
  cells.Text(set.metadata().name());
  cells.Number(status.desired_number_scheduled());
  cells.Number(status.current_number_scheduled());
  cells.Number(status.number_ready());
  cells.Number(status.updated_number_scheduled());
  cells.Number(status.number_available());
  cells.Labels(set.spec().template_().spec().node_selector());
  cells.Age(set.metadata().creation_timestamp());
  TemplateCells(set.spec().template_(), cells);
  SelectorCell(set.spec().selector(), cells);
}

void DeploymentRow(const api::StructNode& object, Cells& cells) {
  const DeploymentView deployment(&object);
  const auto status = deployment.status();
  cells.Text(deployment.metadata().name());
  cells.Text(OutOf(status.ready_replicas(), deployment.spec().replicas()));
  cells.Number(status.updated_replicas());
  cells.Number(status.available_replicas());
  cells.Age(deployment.metadata().creation_timestamp());
  TemplateCells(deployment.spec().template_(), cells);
  const auto selector = deployment.spec().selector();
  cells.Text(api::IsUsableSelector(selector) ? api::SelectorText(selector) : "<invalid>");
}

void ReplicaSetRow(const api::StructNode& object, Cells& cells) {
  const ReplicaSetView set(&object);
  cells.Text(set.metadata().name());
  cells.Number(set.spec().replicas());
  cells.Number(set.status().replicas());
  cells.Number(set.status().ready_replicas());
  cells.Age(set.metadata().creation_timestamp());
  TemplateCells(set.spec().template_(), cells);
  SelectorCell(set.spec().selector(), cells);
}

void StatefulSetRow(const api::StructNode& object, Cells& cells) {
  const StatefulSetView set(&object);
  cells.Text(set.metadata().name());
  cells.Text(OutOf(set.status().ready_replicas(), set.spec().replicas()));
  cells.Age(set.metadata().creation_timestamp());
  TemplateCells(set.spec().template_(), cells);
}

}  // namespace

std::span<const KindRow> Rows() {
  static constexpr KindRow kRows[] = {{"ControllerRevision", ControllerRevisionRow},
                                      {"DaemonSet", DaemonSetRow},
                                      {"Deployment", DeploymentRow},
                                      {"ReplicaSet", ReplicaSetRow},
                                      {"StatefulSet", StatefulSetRow}};
  return kRows;
}

}  // namespace keelson::endpoints::table::apps

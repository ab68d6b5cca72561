#include <algorithm>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "endpoints/table/core_rows.h"

namespace keelson::endpoints::table {
namespace {

using api::core_v1::NodeView;

constexpr std::string_view kUnknown = "<unknown>";

std::string Status(const NodeView& node) {
  std::string status = "Unknown";
  for (const auto condition : node.status().conditions())
    if (condition.type() == "Ready") status = condition.status() == "True" ? "Ready" : "NotReady";
  if (node.spec().unschedulable()) status += ",SchedulingDisabled";
  return status;
}

std::string Roles(const NodeView& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string_view> roles;
  for (const auto& [key, value] : node.metadata().labels()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.push_back(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && !value.string().empty()) roles.push_back(value.string());
  }
  std::ranges::sort(roles);
  roles.erase(std::ranges::unique(roles).begin(), roles.end());
  return Join(roles);
}

std::string_view Address(const NodeView& node, std::string_view type) {
  for (const auto address : node.status().addresses())
    if (address.type() == type) return address.address();
  return kNone;
}

}  // namespace

void NodeRow(const api::StructNode& object, Cells& cells) {
  const NodeView node(&object);
  const auto info = node.status().node_info();
  std::string kernel(info.kernel_version().empty() ? kUnknown : info.kernel_version());
  if (!info.architecture().empty()) kernel.append(" (").append(info.architecture()).append(")");

  cells.Text(node.metadata().name());
  cells.Text(Status(node));
  cells.TextOr(Roles(node), kNone);
  cells.Age(node.metadata().creation_timestamp());
  cells.Text(info.kubelet_version());
  cells.Text(Address(node, "InternalIP"));
  cells.Text(Address(node, "ExternalIP"));
  cells.TextOr(info.os_image(), kUnknown);
  cells.Text(kernel);
  cells.TextOr(info.container_runtime_version(), kUnknown);
}

}  // namespace keelson::endpoints::table

#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/resource_list.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

namespace {

// podCIDR is the first of podCIDRs; where they differ the older field wins.
void SyncPodCidrs(core_v1::NodeSpecEditor spec) {
  const ScalarList cidrs = spec.pod_cidrs();
  if (spec.pod_cidr().empty()) {
    if (!cidrs.empty()) spec.set_pod_cidr_static(cidrs[0].string());
  } else if (cidrs.empty() || cidrs[0].string() != spec.pod_cidr()) {
    spec.clear_pod_cidrs();
    spec.add_pod_cidrs(spec.pod_cidr());
  }
}

}  // namespace

void SetNodeDefaults(Doc& doc) {
  core_v1::NodeEditor node(doc);
  if (auto spec = node.edit_spec()) SyncPodCidrs(spec);
  auto status = node.edit_status();
  if (!status) return;
  // All of a node can be given away unless it says otherwise.
  if (status.allocatable().empty() && !status.capacity().empty()) {
    CopyMissing(status.capacity(), status.mutable_allocatable(), doc.arena());
  }
  RoundUpResourceLists(status.node(), doc.arena());
}

}  // namespace keelson::api::core

#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/pod_defaults.h"
#include "api/defaulting/core/resource_list.h"

namespace keelson::api::core {

using namespace core_v1;

void SetPersistentVolumeDefaults(Doc& doc) {
  PersistentVolumeEditor volume(doc);
  if (volume.status().phase().empty())
    volume.mutable_status().set_phase_static(PersistentVolumePhase::kPending);
  auto spec = volume.mutable_spec();
  if (spec.persistent_volume_reclaim_policy().empty()) {
    spec.set_persistent_volume_reclaim_policy_static(PersistentVolumeReclaimPolicy::kRetain);
  }
  if (!spec.has_volume_mode()) spec.set_volume_mode_static(PersistentVolumeMode::kFilesystem);
  RoundUpResourceLists(spec.node(), doc.arena());  // capacity
  if (auto source = spec.edit_persistent_volume_source()) {
    if (auto host_path = source.edit_host_path()) SetHostPathDefaults(host_path);
  }
}

void SetClaimDefaults(PersistentVolumeClaimEditor claim) {
  if (claim.status().phase().empty())
    claim.mutable_status().set_phase_static(PersistentVolumeClaimPhase::kPending);
  SetVolumeClaimSpecDefaults(claim.mutable_spec());
  RoundUpResourceLists(claim.edit_status().node(), claim.arena());
}

void SetPersistentVolumeClaimDefaults(Doc& doc) { SetClaimDefaults(PersistentVolumeClaimEditor(doc)); }

}  // namespace keelson::api::core

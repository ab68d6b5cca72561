#include "api/defaulting/storage/defaults.h"

#include "api/generated/storage_v1.h"

namespace keelson::api::storage_api {
namespace {

using namespace storage_v1;

void SetStorageClassDefaults(Doc& doc) {
  StorageClassEditor c(doc);
  if (!c.has_reclaim_policy()) c.set_reclaim_policy_static(core_v1::PersistentVolumeReclaimPolicy::kDelete);
  if (!c.has_volume_binding_mode()) c.set_volume_binding_mode_static(VolumeBindingMode::kImmediate);
}

void SetCsiDriverDefaults(Doc& doc) {
  auto spec = CSIDriverEditor(doc).mutable_spec();
  if (!spec.has_attach_required()) spec.set_attach_required(true);
  if (!spec.has_pod_info_on_mount()) spec.set_pod_info_on_mount(false);
  if (!spec.has_storage_capacity()) spec.set_storage_capacity(false);
  if (!spec.has_fs_group_policy()) spec.set_fs_group_policy_static("ReadWriteOnceWithFSType");
  if (spec.volume_lifecycle_modes().empty()) spec.add_volume_lifecycle_modes("Persistent");
  if (!spec.has_requires_republish()) spec.set_requires_republish(false);
  if (!spec.has_se_linux_mount()) spec.set_se_linux_mount(false);
}

constexpr DefaultsEntry kDefaults[] = {
    {&kStorageClassType, SetStorageClassDefaults},
    {&kCSIDriverType, SetCsiDriverDefaults},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::storage_api

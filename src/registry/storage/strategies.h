// The strategies of storage.k8s.io/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::storage_api {

const Strategy& StorageClasses();
const Strategy& VolumeAttachments();
const Strategy& VolumeAttachmentStatus();
const Strategy& CsiDrivers();
const Strategy& CsiNodes();
const Strategy& CsiStorageCapacities();
const Strategy& VolumeAttributesClasses();

}  // namespace keelson::registry::storage_api

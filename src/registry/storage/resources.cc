#include "registry/storage/resources.h"

#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "storageclasses", .strategy = StorageClasses, .returns_deleted_object = true},
      {.plural = "volumeattachments",
       .strategy = VolumeAttachments,
       .subresources = {{"status", VolumeAttachmentStatus}},
       .returns_deleted_object = true},
      {.plural = "csidrivers", .strategy = CsiDrivers, .returns_deleted_object = true},
      {.plural = "csinodes", .strategy = CsiNodes, .returns_deleted_object = true},
      {.plural = "csistoragecapacities", .strategy = CsiStorageCapacities},
      {.plural = "volumeattributesclasses",
       .strategy = VolumeAttributesClasses,
       .returns_deleted_object = true},
      {.plural = "volumeattributesclasses", .version = "v1beta1"},
  };
  return {"storage.k8s.io", rows};
}

}  // namespace keelson::registry::storage_api

#include "endpoints/table/storage/rows.h"

#include <string>
#include <vector>

#include "api/generated/storage_v1.h"

namespace keelson::endpoints::table::storage_api {
namespace {

using namespace api::storage_v1;  // NOLINT: the views of this file's kinds

bool IsDefault(api::MapView annotations) {
  for (const std::string_view key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    const api::Value* value = annotations.Find(key);
    if (value && value->string() == "true") return true;
  }
  return false;
}

void StorageClassRow(const api::StructNode& object, Cells& cells) {
  const StorageClassView c(&object);
  std::string name(c.metadata().name());
  if (IsDefault(c.metadata().annotations())) name += " (default)";
  cells.Text(name);
  cells.Text(c.provisioner());
  cells.Text(c.has_reclaim_policy() ? c.reclaim_policy() : "Delete");
  cells.Text(c.has_volume_binding_mode() ? c.volume_binding_mode() : "Immediate");
  cells.row().Bool(c.allow_volume_expansion());
  cells.Age(c.metadata().creation_timestamp());
}

void VolumeAttachmentRow(const api::StructNode& object, Cells& cells) {
  const VolumeAttachmentView attachment(&object);
  cells.Text(attachment.metadata().name());
  cells.Text(attachment.spec().attacher());
  cells.Text(attachment.spec().source().persistent_volume_name());
  cells.Text(attachment.spec().node_name());
  cells.row().Bool(attachment.status().attached());
  cells.Age(attachment.metadata().creation_timestamp());
}

void CsiDriverRow(const api::StructNode& object, Cells& cells) {
  const CSIDriverView driver(&object);
  const auto spec = driver.spec();
  std::vector<std::string_view> audiences, modes;
  for (const auto request : spec.token_requests()) audiences.push_back(request.audience());
  for (const api::Value& mode : spec.volume_lifecycle_modes()) modes.push_back(mode.string());
  cells.Text(driver.metadata().name());
  cells.row().Bool(!spec.has_attach_required() || spec.attach_required());
  cells.row().Bool(spec.pod_info_on_mount());
  cells.row().Bool(spec.storage_capacity());
  cells.Text(audiences.empty() ? "<unset>" : Join(audiences));
  cells.row().Bool(spec.requires_republish());
  cells.TextOr(Join(modes), kNone);
  cells.Age(driver.metadata().creation_timestamp());
}

void CsiNodeRow(const api::StructNode& object, Cells& cells) {
  const CSINodeView node(&object);
  cells.Text(node.metadata().name());
  cells.Number(static_cast<int64_t>(node.spec().drivers().size()));
  cells.Age(node.metadata().creation_timestamp());
}

void VolumeAttributesClassRow(const api::StructNode& object, Cells& cells) {
  const VolumeAttributesClassView c(&object);
  cells.Text(c.metadata().name());
  cells.Text(c.driver_name());
  cells.Age(c.metadata().creation_timestamp());
}

// CSIStorageCapacity has columns of its own upstream, but they are not served.
constexpr KindRow kRows[] = {
    {"StorageClass", StorageClassRow},
    {"VolumeAttachment", VolumeAttachmentRow},
    {"CSIDriver", CsiDriverRow},
    {"CSINode", CsiNodeRow},
    {"VolumeAttributesClass", VolumeAttributesClassRow},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::storage_api

#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "endpoints/table/core_rows.h"

namespace keelson::endpoints::table {
namespace {

using api::core_v1::PersistentVolumeClaimView;
using api::core_v1::PersistentVolumeView;

constexpr std::string_view kUnset = "<unset>";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

std::string AccessModes(const api::ScalarList& modes) {
  struct Short {
    std::string_view mode, name;
  };
  static constexpr Short kShorts[] = {{"ReadWriteOnce", "RWO"},
                                      {"ReadOnlyMany", "ROX"},
                                      {"ReadWriteMany", "RWX"},
                                      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string_view> names;
  for (const auto& s : kShorts) {
    for (const auto& mode : modes) {
      if (mode.string() != s.mode) continue;
      names.push_back(s.name);
      break;
    }
  }
  return Join(names);
}

std::string_view Storage(api::MapView quantities) {
  const api::Value* storage = quantities.Find("storage");
  return storage ? storage->string() : "0";
}

// The class, which old objects carry as an annotation.
std::string_view StorageClass(api::MapView annotations, std::string_view field) {
  const api::Value* annotated = annotations.Find(kClassAnnotation);
  return annotated ? annotated->string() : field;
}

}  // namespace

void PersistentVolumeRow(const api::StructNode& object, Cells& cells) {
  const PersistentVolumeView volume(&object);
  const auto meta = volume.metadata();
  const auto spec = volume.spec();
  std::string claim;
  if (const auto ref = spec.claim_ref()) claim.append(ref.namespace_()).append("/").append(ref.name());

  cells.Text(meta.name());
  cells.Text(Storage(spec.capacity()));
  cells.Text(AccessModes(spec.access_modes()));
  cells.Text(spec.persistent_volume_reclaim_policy());
  cells.Text(meta.has_deletion_timestamp() ? "Terminating" : volume.status().phase());
  cells.Text(claim);
  cells.Text(StorageClass(meta.annotations(), spec.storage_class_name()));
  cells.Text(spec.has_volume_attributes_class_name() ? spec.volume_attributes_class_name() : kUnset);
  cells.Text(volume.status().reason());
  cells.Age(meta.creation_timestamp());
  cells.Text(spec.has_volume_mode() ? spec.volume_mode() : kUnset);
}

void PersistentVolumeClaimRow(const api::StructNode& object, Cells& cells) {
  const PersistentVolumeClaimView claim(&object);
  const auto meta = claim.metadata();
  const auto spec = claim.spec();
  const auto status = claim.status();
  const bool bound = !spec.volume_name().empty();

  cells.Text(meta.name());
  cells.Text(meta.has_deletion_timestamp() ? "Terminating" : status.phase());
  cells.Text(spec.volume_name());
  cells.Text(bound ? Storage(status.capacity()) : "");
  cells.Text(bound ? AccessModes(status.access_modes()) : "");
  cells.Text(StorageClass(meta.annotations(), spec.storage_class_name()));
  cells.Text(spec.has_volume_attributes_class_name() ? spec.volume_attributes_class_name() : kUnset);
  cells.Age(meta.creation_timestamp());
  cells.Text(spec.has_volume_mode() ? spec.volume_mode() : kUnset);
}

}  // namespace keelson::endpoints::table

#include "api/validation/core/container_mounts.h"

#include <algorithm>
#include <set>

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

template <class List, class Get>
bool Any(List list, Get get, std::string_view value) {
  for (auto item : list)
    if (get(item) == value) return true;
  return false;
}

void CheckPropagation(VolumeMountView mount, bool privileged, const Path& path, ErrorList& errors) {
  constexpr std::string_view kModes[] = {MountPropagationMode::kBidirectional,
                                         MountPropagationMode::kHostToContainer, MountPropagationMode::kNone};
  CheckSupported(mount.mount_propagation(), kModes, path, errors);
  if (mount.mount_propagation() == MountPropagationMode::kBidirectional && !privileged) {
    errors.Add(
        field::Forbidden(path, "Bidirectional mount propagation is available only to privileged containers"));
  }
}

void CheckRecursiveReadOnly(VolumeMountView mount, const Path& path, ErrorList& errors) {
  if (!mount.has_recursive_read_only()) return;
  constexpr std::string_view kModes[] = {"Disabled", "Enabled", "IfPossible"};
  const std::string_view mode = mount.recursive_read_only();
  if (mode == "Disabled") return;
  if (mode != "Enabled" && mode != "IfPossible") {
    errors.Add(field::NotSupported(path, RenderValue(mode), kModes));
    return;
  }
  if (!mount.read_only()) errors.Add(field::Forbidden(path, "may only be specified when readOnly is true"));
  if (mount.has_mount_propagation() && mount.mount_propagation() != MountPropagationMode::kNone) {
    errors.Add(
        field::Forbidden(path, "may only be specified when mountPropagation is None or not specified"));
  }
}

void CheckSubPaths(VolumeMountView mount, const Path& at, const Path& mounts_path, ErrorList& errors) {
  if (!mount.sub_path().empty()) CheckDescendingPath(mount.sub_path(), mounts_path.Child("subPath"), errors);
  if (mount.sub_path_expr().empty()) return;
  if (!mount.sub_path().empty()) {
    errors.Add(field::Invalid(at.Child("subPathExpr"), RenderValue(mount.sub_path_expr()),
                              "subPathExpr and subPath are mutually exclusive"));
  }
  CheckDescendingPath(mount.sub_path_expr(), mounts_path.Child("subPathExpr"), errors);
}

void CheckDevicePath(VolumeDeviceView device, std::set<std::string_view>& paths, const Path& at,
                     ErrorList& errors) {
  const std::string_view path = device.device_path();
  const Path field_path = at.Child("devicePath");
  CheckRequired(path, field_path, errors);
  if (paths.contains(path)) errors.Add(field::Invalid(field_path, RenderValue(path), "must be unique"));
  ErrorList backsteps;
  CheckNoBacksteps(path, field_path, backsteps);
  if (!backsteps.empty()) {
    errors.Add(field::Invalid(field_path, RenderValue(path), "can not contain backsteps ('..')"));
  } else {
    paths.insert(path);
  }
}

}  // namespace

void CheckMountsAndDevices(ListView<VolumeMountView> mounts, ListView<VolumeDeviceView> devices,
                           const VolumesByName& volumes, bool privileged, const Path& container,
                           ErrorList& errors) {
  auto mount_name = [](VolumeMountView m) { return m.name(); };
  auto mount_path = [](VolumeMountView m) { return m.mount_path(); };
  auto device_name = [](VolumeDeviceView d) { return d.name(); };
  auto device_path = [](VolumeDeviceView d) { return d.device_path(); };

  const Path mounts_path = container.Child("volumeMounts");
  std::set<std::string_view> mount_points;
  size_t i = 0;
  for (auto mount : mounts) {
    const Path at = mounts_path.Index(i++);
    const Path name = at.Child("name"), path = at.Child("mountPath");
    CheckRequired(mount.name(), name, errors);
    if (!volumes.contains(mount.name())) errors.Add(field::NotFound(name, RenderValue(mount.name())));
    CheckRequired(mount.mount_path(), path, errors);
    if (!mount_points.insert(mount.mount_path()).second) {
      errors.Add(field::Invalid(path, RenderValue(mount.mount_path()), "must be unique"));
    }
    if (Any(devices, device_name, mount.name())) {
      errors.Add(field::Invalid(name, RenderValue(mount.name()), "must not already exist in volumeDevices"));
    }
    if (Any(devices, device_path, mount.mount_path())) {
      errors.Add(field::Invalid(path, RenderValue(mount.mount_path()),
                                "must not already exist as a path in volumeDevices"));
    }
    CheckSubPaths(mount, at, mounts_path, errors);
    if (mount.has_mount_propagation())
      CheckPropagation(mount, privileged, mounts_path.Child("mountPropagation"), errors);
    CheckRecursiveReadOnly(mount, mounts_path.Child("recursiveReadOnly"), errors);
  }

  const Path devices_path = container.Child("volumeDevices");
  std::set<std::string_view> names, paths;
  i = 0;
  for (auto device : devices) {
    const Path at = devices_path.Index(i++);
    const Path name = at.Child("name");
    const auto volume = volumes.find(device.name());
    CheckRequired(device.name(), name, errors);
    if (names.contains(device.name()))
      errors.Add(field::Invalid(name, RenderValue(device.name()), "must be unique"));
    if (volume == volumes.end()) {
      errors.Add(field::NotFound(name, RenderValue(device.name())));
    } else if (!volume->second.persistent_volume_claim() && !volume->second.ephemeral()) {
      errors.Add(field::Invalid(
          name, RenderValue(device.name()),
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"));
    }
    CheckDevicePath(device, paths, at, errors);
    if (Any(mounts, mount_name, device.name())) {
      errors.Add(field::Invalid(name, RenderValue(device.name()), "must not already exist in volumeMounts"));
    }
    if (Any(mounts, mount_path, device.device_path())) {
      errors.Add(field::Invalid(at.Child("devicePath"), RenderValue(device.device_path()),
                                "must not already exist as a path in volumeMounts"));
    }
    if (!device.name().empty()) names.insert(device.name());
  }
}

}  // namespace keelson::api::core

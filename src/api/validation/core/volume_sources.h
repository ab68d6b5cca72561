// Sources that pod volumes and persistent volumes share.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckHostPath(core_v1::HostPathVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckNfs(core_v1::NFSVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckFibreChannel(core_v1::FCVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckCsiDriverName(std::string_view driver, const Path& path, ErrorList& errors);
// "iqn...", "eui..." or "naa...".
void CheckIscsiName(std::string_view name, const Path& path, ErrorList& errors);
void CheckAzureDisk(core_v1::AzureDiskVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckQuobyte(core_v1::QuobyteVolumeSourceView source, const Path& path, ErrorList& errors);
// Options must stay out of the system's namespaces.
void CheckFlexOptions(MapView options, const Path& path, ErrorList& errors);

// The members of `source` that must not be empty: strings, lists.
void CheckRequiredMembers(const StructView& source, std::span<const std::string_view> members,
                          const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

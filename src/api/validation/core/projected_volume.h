// Volumes whose files come from other objects or from the pod itself.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckProjected(core_v1::ProjectedVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckDownwardFile(core_v1::DownwardAPIVolumeFileView file, const Path& path, ErrorList& errors);
void CheckKeyToPath(core_v1::KeyToPathView item, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

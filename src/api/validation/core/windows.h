// Windows options of security contexts.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckWindowsOptions(core_v1::WindowsSecurityContextOptionsView options, const Path& path,
                         ErrorList& errors);

// All containers of a pod are processes of the host or none is, and they need its network.
// `path`: of the spec.
void CheckHostProcesses(core_v1::PodSpecView spec, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

// Security contexts of pods and containers.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// `was`: the spec before an update.
void CheckPodSecurityContext(core_v1::PodSpecView spec, core_v1::PodSpecView was, const Path& path,
                             ErrorList& errors);
// `host_users`: the pod runs in the host's user namespace.
void CheckSecurityContext(core_v1::SecurityContextView context, bool host_users, const Path& path,
                          ErrorList& errors);

// A profile in the notation of the annotations that came before the fields.
void CheckSeccompAnnotation(std::string_view profile, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

// What the author of a job, or of the template of one, should know.
#pragma once

#include "api/generated/batch_v1.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry::batch {

// `path` is where the spec is.
void WarnOfJobSpec(api::batch_v1::JobSpecView spec, const api::field::Path& path, core::Warnings& warnings);

}  // namespace keelson::registry::batch

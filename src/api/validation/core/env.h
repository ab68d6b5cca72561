// The environment of containers.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckEnv(ListView<core_v1::EnvVarView> env, const Path& path, ErrorList& errors);
void CheckEnvFrom(ListView<core_v1::EnvFromSourceView> sources, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

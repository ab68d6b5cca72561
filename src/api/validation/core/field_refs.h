// References from containers and volumes to fields of their own pod.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// `allowed`, sorted: what may be named besides single labels and annotations.
void CheckFieldRef(core_v1::ObjectFieldSelectorView ref, std::span<const std::string_view> allowed,
                   const Path& path, ErrorList& errors);
// `in_volume`: the container must be named.
void CheckResourceFieldRef(core_v1::ResourceFieldSelectorView ref, bool in_volume, const Path& path,
                           ErrorList& errors);

}  // namespace keelson::api::core

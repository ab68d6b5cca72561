// What the operating system of a pod allows, and walking over all of a pod's containers.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

// Calls visit(container, path) for init, regular and ephemeral containers. Their views
// differ in type and have the same fields.
template <class Visit>
void ForEachContainer(core_v1::PodSpecView spec, const Path& spec_path, Visit visit) {
  const Path init = spec_path.Child("initContainers"), regular = spec_path.Child("containers"),
             ephemeral = spec_path.Child("ephemeralContainers");
  size_t i = 0;
  for (auto container : spec.init_containers()) visit(container, init.Index(i++));
  i = 0;
  for (auto container : spec.containers()) visit(container, regular.Index(i++));
  i = 0;
  for (auto container : spec.ephemeral_containers())
    visit(container.ephemeral_container_common(), ephemeral.Index(i++));
}

void CheckPodOs(core_v1::PodSpecView spec, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

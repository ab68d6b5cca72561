// Walking over a pod: its containers of every sort, and whether its node made it.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"

namespace keelson::api::pods {

// Marks the mirror of a pod that a kubelet runs from a file.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

inline bool IsMirror(core_v1::PodView pod) {
  return pod.metadata().annotations().Find(kMirrorAnnotation) != nullptr;
}

// Calls visit(container) for init, regular and ephemeral containers, in upstream's order. Their views
// differ in type and have the same fields.
template <class Visit>
void EachContainer(core_v1::PodSpecView spec, Visit&& visit) {
  for (const auto container : spec.init_containers()) visit(container);
  for (const auto container : spec.containers()) visit(container);
  for (const auto container : spec.ephemeral_containers()) visit(container.ephemeral_container_common());
}

// The same with editors.
template <class Visit>
void EditEachContainer(core_v1::PodSpecEditor spec, Visit&& visit) {
  for (auto container : spec.edit_init_containers()) visit(container);
  for (auto container : spec.edit_containers()) visit(container);
  for (auto container : spec.edit_ephemeral_containers())
    visit(container.mutable_ephemeral_container_common());
}

}  // namespace keelson::api::pods

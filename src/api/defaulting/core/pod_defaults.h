// Defaults of what pods are made of, for pods and for every kind with a pod template.
#pragma once

#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetPodSpecDefaults(core_v1::PodSpecEditor spec);
void SetVolumeClaimSpecDefaults(core_v1::PersistentVolumeClaimSpecEditor spec);
// A claim, be it an object or a template inside another.
void SetClaimDefaults(core_v1::PersistentVolumeClaimEditor claim);
void SetHostPathDefaults(core_v1::HostPathVolumeSourceEditor host_path);

}  // namespace keelson::api::core

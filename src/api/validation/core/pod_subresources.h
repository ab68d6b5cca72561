// What may be done to a pod through its subresources.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

// All that must hold of a pod that exists already.
field::ErrorList ValidateExistingPod(core_v1::PodView pod, core_v1::PodView was);

field::ErrorList ValidatePodBinding(core_v1::BindingView binding);
// Ephemeral containers come and stay as they are.
field::ErrorList ValidateEphemeralContainersUpdate(core_v1::PodView now, core_v1::PodView was);
// Only the processors and memory of containers and of the pod change. `same_qos`: the class
// that follows from them does not.
field::ErrorList ValidatePodResize(core_v1::PodView now, core_v1::PodView was, bool same_qos);

}  // namespace keelson::api::core

// The class of service of pods.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"

namespace keelson::api::core {

// How the node treats the pod when resources run short: "Guaranteed", "Burstable" or
// "BestEffort", from what its containers ask for.
std::string_view QosClassOf(core_v1::PodSpecView spec);
// The class that the status tells; without one, the class that the specification gives.
inline std::string_view QosClassOf(core_v1::PodView pod) {
  return pod.status().qos_class().empty() ? QosClassOf(pod.spec()) : pod.status().qos_class();
}

}  // namespace keelson::api::core

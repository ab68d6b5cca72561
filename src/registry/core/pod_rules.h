// What pods get from the server besides their defaults.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"

namespace keelson::registry::core {

// How the node treats the pod when resources run short: "Guaranteed", "Burstable" or
// "BestEffort", from what its containers ask for.
std::string_view QosClassOf(api::core_v1::PodSpecView spec);

// Writes the values of matchLabelKeys and mismatchLabelKeys, taken from the pod's labels,
// into the selectors they belong to.
void ApplyLabelKeys(api::core_v1::PodEditor pod);

// Removes what belongs to features that are off, unless `was` (null on creation) uses it.
void DropDisabledFields(api::core_v1::PodSpecEditor now, api::core_v1::PodSpecView was);

}  // namespace keelson::registry::core

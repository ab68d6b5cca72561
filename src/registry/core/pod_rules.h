// What pods get from the server besides their defaults.
#pragma once

#include "api/generated/core_v1.h"
#include "registry/features.h"

namespace keelson::registry::core {

// Writes the values of matchLabelKeys and mismatchLabelKeys, taken from the pod's labels,
// into the selectors they belong to.
void ApplyLabelKeys(api::core_v1::PodEditor pod);

// Removes what belongs to features that are off, unless `was` (null on creation) uses it.
void DropDisabledFields(const Features& features, api::core_v1::PodSpecEditor now,
                        api::core_v1::PodSpecView was);

}  // namespace keelson::registry::core

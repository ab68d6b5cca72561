// Rules of pod groups, and of workloads, which have templates for them.
#pragma once

#include "api/generated/scheduling_v1alpha2.h"
#include "api/validation/field.h"

namespace keelson::api::scheduling {

// GroupFeatures: the optional fields of pod groups that the feature gates allow.
struct GroupFeatures {
  bool topology = false;    // where their pods are to be
  bool preemption = false;  // how they are interrupted, and by whom
};

// `was` is null on creation.
field::ErrorList ValidatePodGroup(scheduling_v1alpha2::PodGroupView now,
                                  scheduling_v1alpha2::PodGroupView was, const GroupFeatures& features);
field::ErrorList ValidatePodGroupStatus(scheduling_v1alpha2::PodGroupView now);
field::ErrorList ValidateWorkload(scheduling_v1alpha2::WorkloadView now,
                                  scheduling_v1alpha2::WorkloadView was, const GroupFeatures& features);

}  // namespace keelson::api::scheduling

// What pod groups, and the templates for them, may say depends on features.
#pragma once

#include "api/validation/scheduling/pod_group.h"
#include "registry/features.h"

namespace keelson::registry::scheduling {

inline api::scheduling::GroupFeatures GroupFeaturesOf(const Features& features) {
  return {.topology = features.topology_aware_workload_scheduling,
          .preemption = features.workload_aware_preemption};
}

// Clears what belongs to features that are off, unless `was`, null on creation, had it.
template <class Editor, class View>
void DropDisabledGroupFields(const Features& features, Editor now, View was) {
  if (!features.topology_aware_workload_scheduling && !was.scheduling_constraints())
    now.clear_scheduling_constraints();
  if (!features.dra_workload_resource_claims && was.resource_claims().empty()) now.clear_resource_claims();
  if (features.workload_aware_preemption) return;
  if (!was.has_disruption_mode()) now.clear_disruption_mode();
  if (was.priority_class_name().empty()) now.clear_priority_class_name();
  if (!was.has_priority()) now.clear_priority();
}

}  // namespace keelson::registry::scheduling

#include "registry/core/pod_conditions.h"

#include "api/meta/object_meta.h"

namespace keelson::registry::core {

using namespace api::core_v1;

void SetPodCondition(PodStatusEditor status, const PodConditionText& condition, const base::Clock& clock) {
  auto set = [&](PodConditionEditor to) {
    if (to.status() != condition.status) to.set_last_transition_time(api::NowSeconds(clock));
    to.set_status(condition.status);
    to.set_reason(condition.reason);
    to.set_message(condition.message);
    to.clear_last_probe_time();
    to.clear_observed_generation();
  };
  for (auto existing : status.edit_conditions())
    if (existing.type() == condition.type) return set(existing);
  auto added = status.add_conditions();
  added.set_type(condition.type);
  set(added);
}

bool IsPodReady(PodView pod) {
  for (auto condition : pod.status().conditions())
    if (condition.type() == "Ready") return condition.status() == "True";
  return false;
}

}  // namespace keelson::registry::core

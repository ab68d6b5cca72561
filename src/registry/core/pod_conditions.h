// Conditions of pods that the server reads and writes itself.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"
#include "base/clock.h"

namespace keelson::registry::core {

struct PodConditionText {
  std::string_view type, status, reason = {}, message = {};
};
// Sets or replaces the condition of that type; its time changes only when its status does.
void SetPodCondition(api::core_v1::PodStatusEditor status, const PodConditionText& condition,
                     const base::Clock& clock);
bool IsPodReady(api::core_v1::PodView pod);

}  // namespace keelson::registry::core

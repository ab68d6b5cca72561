// PriorityLevelSpec: what a PriorityLevelConfiguration object says.
#pragma once

#include <optional>
#include <string>

#include "api/generated/flowcontrol_v1.h"
#include "server/flow_control/fair_queues.h"

namespace keelson::server::flow_control {

struct PriorityLevelSpec {
  std::string name, uid;
  bool exempt = false;
  int shares = 0;
  int lendable_percent = 0;
  std::optional<int> borrowing_limit_percent;  // nullopt: no limit
  QueuingConfig queuing;                       // no queues: beyond the limit requests are turned away

  // nullopt: it contradicts itself, and counts as if it were not there.
  static std::optional<PriorityLevelSpec> Of(api::flowcontrol_v1::PriorityLevelConfigurationView level);
};

}  // namespace keelson::server::flow_control

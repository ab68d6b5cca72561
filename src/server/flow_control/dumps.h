// What /debug/api_priority_and_fairness shows, as upstream writes it: columns that are aligned, and a comma
// behind each but the last.
#pragma once

#include <string>

#include "server/flow_control/flow_control.h"

namespace keelson::server::flow_control {

std::string DumpPriorityLevels(const FlowControl& control);
std::string DumpQueues(const FlowControl& control);
// `details`: who asks for what.
std::string DumpRequests(const FlowControl& control, bool details);

}  // namespace keelson::server::flow_control

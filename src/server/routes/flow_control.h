// /debug/api_priority_and_fairness: what waits and what executes, by priority level, queue and request.
#pragma once

#include "server/flow_control/flow_control.h"
#include "server/router.h"

namespace keelson::server {

// Borrows `control`. "/" does not name the paths.
void InstallFlowControlDumps(Router& router, const flow_control::FlowControl& control);

}  // namespace keelson::server

// /metrics, in the Prometheus text format.
#pragma once

#include "base/metrics.h"
#include "server/router.h"

namespace keelson::server {

// Adds what is known of the process (memory, CPU time, descriptors) to `metrics`.
void AddProcessMetrics(base::Metrics& metrics);

void InstallMetrics(Router& router, const base::Metrics& metrics);

}  // namespace keelson::server

// /metrics, in the Prometheus text format.
#pragma once

#include "base/metrics.h"
#include "server/router.h"

namespace keelson::server {

// Adds what is known of the process (memory, CPU time, threads, descriptors, version) to `metrics`.
void AddProcessMetrics(base::Metrics& metrics);
// Only when the process was started, as one of its metrics.
void AddStartTime(base::Metrics& metrics);
// That in seconds since 1970.
double ProcessStart();

// /metrics, and /metrics/slis: what the checks of health found. Borrows both.
void InstallMetrics(Router& router, const base::Metrics& metrics, const base::Metrics& slis);

}  // namespace keelson::server

// The strategies of batch/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include "registry/strategy.h"

namespace keelson::registry::batch {

const Strategy& CronJobs();
const Strategy& CronJobStatus();
const Strategy& Jobs();
const Strategy& JobStatus();

}  // namespace keelson::registry::batch

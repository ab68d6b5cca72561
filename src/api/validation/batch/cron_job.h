// CronJobs. Metadata common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/batch_v1.h"
#include "api/validation/field.h"

namespace keelson::api::batch {

field::ErrorList ValidateCronJob(batch_v1::CronJobView job);
field::ErrorList ValidateCronJobUpdate(batch_v1::CronJobView now, batch_v1::CronJobView was);

}  // namespace keelson::api::batch

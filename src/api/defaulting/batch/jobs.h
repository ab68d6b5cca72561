// The defaults of jobs and cron jobs. Each is idempotent.
#pragma once

#include "api/types/doc.h"

namespace keelson::api::batch {

void SetCronJobDefaults(Doc& doc);
void SetJobDefaults(Doc& doc);

}  // namespace keelson::api::batch

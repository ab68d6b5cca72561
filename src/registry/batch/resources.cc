#include "registry/batch/resources.h"

#include "registry/batch/strategies.h"

namespace keelson::registry::batch {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "cronjobs", .strategy = CronJobs, .subresources = {{"status", CronJobStatus}}},
      {.plural = "jobs", .strategy = Jobs, .subresources = {{"status", JobStatus}}},
  };
  return {"batch", rows};
}

}  // namespace keelson::registry::batch

#include "registry/storagemigration/resources.h"

#include "registry/storagemigration/strategies.h"

namespace keelson::registry::storagemigration {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "storageversionmigrations",
       .strategy = Migrations,
       .subresources = {{"status", MigrationStatus}},
       .version = "v1beta1"},
  };
  return {"storagemigration.k8s.io", rows};
}

}  // namespace keelson::registry::storagemigration

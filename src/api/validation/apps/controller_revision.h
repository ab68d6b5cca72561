// ControllerRevisions: snapshots that never change.
#pragma once

#include "api/generated/apps_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apps {

field::ErrorList ValidateControllerRevision(apps_v1::ControllerRevisionView revision);
field::ErrorList ValidateControllerRevisionUpdate(apps_v1::ControllerRevisionView now,
                                                  apps_v1::ControllerRevisionView was);

}  // namespace keelson::api::apps

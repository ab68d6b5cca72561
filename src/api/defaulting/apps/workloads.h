// The defaults of the kinds of apps/v1 that make pods. Each is idempotent.
#pragma once

#include "api/types/doc.h"

namespace keelson::api::apps {

void SetDaemonSetDefaults(Doc& doc);
void SetDeploymentDefaults(Doc& doc);
void SetReplicaSetDefaults(Doc& doc);
void SetStatefulSetDefaults(Doc& doc);

}  // namespace keelson::api::apps

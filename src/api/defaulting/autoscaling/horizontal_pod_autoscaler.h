// The defaults of autoscalers, by version. Each is idempotent.
#pragma once

#include "api/types/doc.h"

namespace keelson::api::autoscaling {

void SetHorizontalPodAutoscalerV1Defaults(Doc& doc);
void SetHorizontalPodAutoscalerV2Defaults(Doc& doc);

}  // namespace keelson::api::autoscaling

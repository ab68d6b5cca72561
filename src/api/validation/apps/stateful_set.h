// StatefulSets. Metadata common to all kinds is checked elsewhere.
#pragma once

#include "api/generated/apps_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apps {

field::ErrorList ValidateStatefulSet(apps_v1::StatefulSetView set);
field::ErrorList ValidateStatefulSetUpdate(apps_v1::StatefulSetView now, apps_v1::StatefulSetView was);
field::ErrorList ValidateStatefulSetStatusUpdate(apps_v1::StatefulSetView now, apps_v1::StatefulSetView was);

}  // namespace keelson::api::apps

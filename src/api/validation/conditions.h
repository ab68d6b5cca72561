// metav1.Condition: what a status says of its object.
#pragma once

#include "api/generated/meta_v1.h"
#include "api/types/view.h"
#include "api/validation/field.h"

namespace keelson::api {

field::ErrorList ValidateConditions(ListView<meta_v1::ConditionView> conditions, const field::Path& path);

}  // namespace keelson::api

// The metrics by which an autoscaler decides, and what they may refer to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/generated/autoscaling_v2.h"
#include "api/validation/field.h"

namespace keelson::api::autoscaling {

// How much of a reference's apiVersion must be right.
struct ReferenceRules {
  bool any_version = false;
  bool core_group = false;
};

std::optional<std::string> ApiVersionError(std::string_view api_version, const ReferenceRules& rules);
void CheckReference(autoscaling_v2::CrossVersionObjectReferenceView reference, const ReferenceRules& rules,
                    const field::Path& path, field::ErrorList& errors);
// `objects`: of the objects that metrics describe.
void CheckMetric(autoscaling_v2::MetricSpecView metric, const ReferenceRules& objects,
                 const field::Path& path, field::ErrorList& errors);

}  // namespace keelson::api::autoscaling

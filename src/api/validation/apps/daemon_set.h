// DaemonSets. Metadata common to all kinds is checked elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/generated/apps_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apps {

// Counts the changes of the template. A field in versions that are gone, an annotation now.
constexpr std::string_view kTemplateGenerationAnnotation = "deprecated.daemonset.template.generation";
// Absent reads as zero; nullopt when it is no number.
std::optional<int64_t> TemplateGenerationOf(meta_v1::ObjectMetaView metadata);

field::ErrorList ValidateDaemonSet(apps_v1::DaemonSetView set);
field::ErrorList ValidateDaemonSetUpdate(apps_v1::DaemonSetView now, apps_v1::DaemonSetView was);
field::ErrorList ValidateDaemonSetStatusUpdate(apps_v1::DaemonSetView now, apps_v1::DaemonSetView was);

}  // namespace keelson::api::apps

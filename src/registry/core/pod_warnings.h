// What the author of a pod should know although nothing is invalid: fields that no longer
// do anything, definitions that hide others, amounts that make no sense.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::registry::core {

using Warnings = std::vector<std::string>;

// Each adds to `warnings`.
void WarnOfPod(api::core_v1::PodView pod, Warnings& warnings);
// `path` is where the template is.
void WarnOfPodTemplate(api::core_v1::PodTemplateSpecView pod_template, const api::field::Path& path,
                       Warnings& warnings);
// `path` is where the spec of the claim is.
void WarnOfClaimSpec(api::core_v1::PersistentVolumeClaimSpecView spec, const api::field::Path& path,
                     Warnings& warnings);
// The name becomes part of pods' names, which should be labels of DNS.
void WarnOfWorkloadName(std::string_view name, Warnings& warnings);

// Why a label of nodes is deprecated; empty: it is not.
std::string_view DeprecatedNodeLabel(std::string_view label);

}  // namespace keelson::registry::core

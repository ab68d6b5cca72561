// The spec of pods and of pod templates.
#pragma once

#include <string_view>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

struct PodSpecOwner {
  std::string_view name;             // of the pod; empty in templates
  meta_v1::ObjectMetaView metadata;  // of the pod or template
  bool is_pod = false;
  core_v1::PodSpecView was = {};  // before an update: some values may stay that could not come anew
};

void CheckPodSpec(core_v1::PodSpecView spec, const PodSpecOwner& owner, const Path& path, ErrorList& errors);

// Annotations that mean something to the system.
void CheckPodAnnotations(const PodSpecOwner& owner, core_v1::PodSpecView spec, const Path& path,
                         ErrorList& errors);
// The annotations that came before the seccomp and AppArmor fields must not contradict them.
void CheckSecurityAnnotations(const PodSpecOwner& owner, core_v1::PodSpecView spec, const Path& spec_path,
                              ErrorList& errors);

// The template of anything that makes pods: its metadata and spec.
field::ErrorList ValidatePodTemplateSpec(core_v1::PodTemplateSpecView pod_template, const Path& path);

}  // namespace keelson::api::core

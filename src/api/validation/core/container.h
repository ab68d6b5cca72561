// Containers of pods: regular, init and ephemeral ones.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/probe.h"
#include "api/validation/core/resources.h"
#include "api/validation/core/volume.h"

namespace keelson::api::core {

// What the containers' rules need to know of their pod.
struct ContainerContext {
  core_v1::PodSpecView spec;
  const VolumesByName& volumes;
  const NameSet& claims;
  GracePeriod grace;
  bool host_users;
};

void CheckContainers(const ContainerContext& pod, const Path& path, ErrorList& errors);
void CheckInitContainers(const ContainerContext& pod, const Path& path, ErrorList& errors);
void CheckEphemeralContainers(const ContainerContext& pod, const Path& path, ErrorList& errors);

// In pods, though not in templates, an image may have no blanks around it.
void CheckImageTrimmed(std::string_view image, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core

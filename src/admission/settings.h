// Settings: the configurations of the plugins that are on, read and checked when the server starts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "admission/configuration.h"
#include "admission/plugins/event_rate_limit.h"
#include "admission/plugins/image_policy_webhook.h"
#include "admission/plugins/limited_resources.h"
#include "admission/plugins/pod_node_selector.h"
#include "admission/plugins/pod_security_config.h"
#include "admission/plugins/pod_toleration_restriction.h"
#include "admission/selection.h"
#include "base/result.h"

namespace keelson::admission {

// Plugins that are off have their defaults.
struct Settings {
  PodSecurityConfig pod_security;
  LimitedResources limited_resources;
  std::vector<EventLimit> event_limits;
  NodeSelectors node_selectors;
  TolerationRestrictions toleration_restrictions;
  ImagePolicyConfig image_policy;
};

// The file of --admission-control-config-file; an empty path stands for a file that says nothing. Errors are
// in upstream's words. What the file says of plugins that are unknown or off, or take no configuration, has
// no effect, which the log tells.
base::Result<Settings, std::string> ReadSettings(const std::filesystem::path& file,
                                                 const Selection& selection);

}  // namespace keelson::admission

// The configuration of PodSecurity: the policy of namespaces that say nothing of it, and who is exempt.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "admission/pod_security/policy.h"
#include "base/result.h"

namespace keelson::admission {

struct PodSecurityConfig {
  using Names = std::set<std::string, std::less<>>;

  pod_security::Policy defaults;
  Names exempt_usernames, exempt_namespaces, exempt_runtime_classes;
};

// nullopt: there is no configuration. Errors are in upstream's words.
base::Result<PodSecurityConfig, std::string> ParsePodSecurityConfig(const std::optional<std::string>& text);

}  // namespace keelson::admission

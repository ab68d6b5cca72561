// What a client may ask of a write, after parsing and before any rule of a resource.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace keelson::registry {

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  std::optional<std::string> uid, resource_version;  // preconditions
  std::optional<std::string> propagation_policy;     // "Orphan", "Background", "Foreground"
  std::optional<bool> orphan_dependents;
  bool dry_run = false;
};

}  // namespace keelson::registry

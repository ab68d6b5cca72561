// What APIServices say of discovery: which versions others serve, and in which order versions are listed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/slice.h"

namespace keelson::endpoints::discovery {

struct RegisteredVersion {
  std::string group, version;
  int32_t group_priority = 0, version_priority = 0;  // higher comes first
  // What a backend serves: the JSON of a list of APIResourceDiscovery. None: this server serves the version.
  std::optional<base::Slice> remote;
  bool stale = false;  // the backend could not be asked lately
};
// What the versions of custom resources have: discovery need not be told of their APIServices.
inline constexpr int32_t kCustomGroupPriority = 1000, kCustomVersionPriority = 100;

using Registered = std::vector<RegisteredVersion>;
using RegisteredPtr = std::shared_ptr<const Registered>;

}  // namespace keelson::endpoints::discovery

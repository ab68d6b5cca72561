// For whom tokens are meant.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace keelson::auth {

// Those of `meant_for` that are in `asked`, in its order.
inline std::vector<std::string> CommonAudiences(std::span<const std::string> meant_for,
                                                std::span<const std::string> asked) {
  std::vector<std::string> common;
  for (const std::string& audience : meant_for)
    if (std::ranges::find(asked, audience) != asked.end()) common.push_back(audience);
  return common;
}

}  // namespace keelson::auth

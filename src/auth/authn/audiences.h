// For whom tokens are meant.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keelson::auth {

// Those of `first` that are in `second`, in the order of `first`.
inline std::vector<std::string> CommonAudiences(std::span<const std::string> first,
                                                std::span<const std::string> second) {
  std::vector<std::string> common;
  for (const std::string& audience : first)
    if (std::ranges::find(second, audience) != second.end()) common.push_back(audience);
  return common;
}

// The same for a token that names no audience and is meant for all of this server's, `own`; nullopt: some are
// asked for, and none is one of them.
inline std::optional<std::vector<std::string>> AgnosticAudiences(std::span<const std::string> own,
                                                                 std::span<const std::string> asked) {
  auto common = CommonAudiences(asked, own);
  if (common.empty() && !asked.empty()) return std::nullopt;
  return common;
}

}  // namespace keelson::auth

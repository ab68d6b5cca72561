// NodeIdentity: which node a user is. Authorization and admission agree on it.
#pragma once

#include <optional>
#include <string_view>

#include "auth/user.h"

namespace keelson::auth {

inline constexpr std::string_view kNodeUserPrefix = "system:node:";
inline constexpr std::string_view kNodesGroup = "system:nodes";

// The name of the node: a node is a user `system:node:NAME` of the group system:nodes. nullopt: the user is
// no node. Empty: a node that does not tell its name. Borrows from `user`.
inline std::optional<std::string_view> NodeIdentity(const User& user) {
  const std::string_view name = user.name;
  if (!name.starts_with(kNodeUserPrefix) || !user.InGroup(kNodesGroup)) return std::nullopt;
  return name.substr(kNodeUserPrefix.size());
}

}  // namespace keelson::auth

// Users that are service accounts, as their names and the claims of their tokens tell.
#pragma once

#include <optional>
#include <string_view>

#include "auth/user.h"

namespace keelson::auth {

struct ServiceAccountName {
  std::string_view ns, name;
};

// "system:serviceaccount:<ns>:<name>" taken apart; nullopt: it is not of that form.
std::optional<ServiceAccountName> ServiceAccountOf(std::string_view user);

// Whether `user` is a service account whose token names exactly this node.
bool RunsOnNode(const User& user, std::string_view node);

}  // namespace keelson::auth

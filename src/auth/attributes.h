// Attributes: what authorization decides on: who, which verb, on what.
#pragma once

#include <string_view>

#include "auth/user.h"

namespace keelson::auth {

struct Attributes {
  const User* user = nullptr;
  std::string_view verb;  // "get", "list", ... ; for other paths the method in lower case
  bool resource_request = false;
  std::string_view group, version, resource, subresource, ns, name;
  std::string_view path;  // not a resource request
};

}  // namespace keelson::auth

// Attributes: what authorization decides on: who, which verb, on what.
#pragma once

#include <string_view>

#include "api/meta/selector_requirement.h"
#include "auth/user.h"

namespace keelson::auth {

struct Attributes {
  const User* user = nullptr;
  std::string_view verb;  // "get", "list", ... ; for other paths the method in lower case
  bool resource_request = false;
  std::string_view group, version, resource, subresource, ns, name;
  std::string_view path;  // not a resource request
  // The selectors of a list, watch or deletecollection; null: there is none.
  const api::SelectorRequirements* field_selector = nullptr;
  const api::SelectorRequirements* label_selector = nullptr;
  // Whether somebody reads why it is allowed; why it is not is always told.
  bool wants_reason = true;
};

}  // namespace keelson::auth

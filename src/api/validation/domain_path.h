// Domain-prefixed paths, such as "acme.io/foo".
#pragma once

#include <string_view>

#include "api/validation/field.h"

namespace keelson::api {

void CheckDomainPrefixedPath(std::string_view value, const field::Path& path, field::ErrorList& errors);

}  // namespace keelson::api

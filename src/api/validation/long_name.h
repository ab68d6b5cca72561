// Names of kinds that upstream validates by declaration.
#pragma once

#include <string_view>

#include "api/validation/names.h"

namespace keelson::api {

// A DNS subdomain. Only the name counts, not the prefix it was made from, and it counts in bytes.
Messages NameIsLongName(std::string_view name, bool prefix);

}  // namespace keelson::api

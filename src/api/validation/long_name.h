// Names that upstream validates by declaration: their length counts in bytes, and messages say so.
#pragma once

#include <string_view>

#include "api/validation/names.h"

namespace keelson::api {

// A DNS subdomain. Only the name counts, not the prefix it was made from, and it counts in bytes.
Messages NameIsLongName(std::string_view name, bool prefix);

// Checks of names in fields: DNS subdomains in lower case or in any case, and DNS labels.
Messages IsLongName(std::string_view name);
Messages IsLongNameCaseless(std::string_view name);
Messages IsShortName(std::string_view name);

}  // namespace keelson::api

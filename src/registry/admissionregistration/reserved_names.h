// Names that are kept for configuration from files.
#pragma once

#include <string>
#include <vector>

#include "api/types/doc.h"

namespace keelson::registry::admissionregistration {

// What a client is warned of whose object has such a name.
std::vector<std::string> ReservedNameWarnings(const api::Doc& doc);

}  // namespace keelson::registry::admissionregistration

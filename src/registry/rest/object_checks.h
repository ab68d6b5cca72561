// What holds for the object of a write whatever its resource is.
#pragma once

#include <string_view>

#include "api/types/doc.h"
#include "registry/rest/types.h"

namespace keelson::registry::rest {

// A PUT or PATCH speaks of the object that its path names; 400 if it does not. `ns` is empty for
// cluster-scoped resources.
Result<void> CheckName(std::string_view ns, std::string_view name, const api::Doc& doc);

}  // namespace keelson::registry::rest

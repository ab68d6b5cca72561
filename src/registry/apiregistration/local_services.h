// The APIServices of what this server itself serves.
#pragma once

#include <span>
#include <vector>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"

namespace keelson::registry::apiregistration {

// One for each group and version among `served`, but for the group of APIServices itself,
// with upstream's priorities.
std::vector<api::Doc> LocalServices(std::span<const api::ResourceDesc* const> served);

}  // namespace keelson::registry::apiregistration

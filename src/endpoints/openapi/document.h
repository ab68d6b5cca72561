// The OpenAPI v3 document of one group-version: its paths and the schemas they use.
#pragma once

#include <span>
#include <string_view>

#include "api/types/resource_desc.h"
#include "base/slice.h"

namespace keelson::endpoints::openapi {

// `resources` are those served under `group_version`; the document is compact JSON.
base::Slice BuildDocument(api::GroupVersion group_version,
                          std::span<const api::ResourceDesc* const> resources);

}  // namespace keelson::endpoints::openapi

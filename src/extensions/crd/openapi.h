// What OpenAPI documents say of custom objects: their schemas, with what every object has.
#pragma once

#include <string_view>

#include "api/types/resource_desc.h"
#include "base/slice.h"
#include "endpoints/openapi/schema.h"

namespace keelson::extensions {

// Appends the schema of an object. `schema`: the JSON of the definition's openAPIV3Schema; empty: there is
// none. `preserve_unknown`: of the whole definition.
void AppendOpenApi(std::string_view schema, bool preserve_unknown, const api::ResourceDesc& desc,
                   endpoints::openapi::Dialect dialect, base::BufferBuilder& out);

}  // namespace keelson::extensions

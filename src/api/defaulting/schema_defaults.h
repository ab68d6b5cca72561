// The constants that a schema states as defaults (`default` in schema/*.kschema).
#pragma once

#include "api/types/doc.h"

namespace keelson::api {

// Fills them in wherever `node` or anything below it leaves such a field out. Idempotent.
void FillSchemaDefaults(StructNode* node, Arena& arena);

}  // namespace keelson::api

// How objects of a schema are merged, in the words of api/managed_fields: TypeDescs whose values are trees.
#pragma once

#include "api/types/arena.h"
#include "api/types/type_desc.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// Of the members of a whole object, metadata left out; a kMap. Without a schema every map is merged by its
// keys and every list is replaced.
const api::TypeDesc* MergeTypeOf(const Schema& root, bool has_schema, api::Arena& arena);

}  // namespace keelson::extensions

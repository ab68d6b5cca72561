// A typed struct as the tree that its JSON would decode to, without the text in between.
#pragma once

#include "api/types/doc.h"

namespace keelson::api::json {

// DecodeAny(Encode(node)). Strings are shared with `node`, which must live as long as the arena.
// Requires: none of the types inlines another.
Value ToTree(const StructNode& node, Arena& arena);

}  // namespace keelson::api::json
